from softdict.attention import attention


def right_heads(x, W_Q, W_K, W_V, heads):
    def cut(made):
        return made.unflatten(-1, (heads, -1)).transpose(1, 2)    # [B, H, T, K]

    query, key = cut(x.detach() @ W_Q), cut(x.detach() @ W_K)
    context, weights = attention(query, key, cut(x @ W_V))
    return context.transpose(1, 2).flatten(2), weights
