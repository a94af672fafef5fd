from softdict.attention import attention


def grouped_attention(query, key, value, allowed):
    """What H heads find that share G key heads in groups: context [B, H, T, V].

    query [B, H, T, K], key [B, G, S, K], value [B, G, S, V]
    """
    group = query.shape[1] // key.shape[1]
    return attention(query, key.repeat_interleave(group, dim=1),
                     value.repeat_interleave(group, dim=1), allowed)
