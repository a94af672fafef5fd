def masked_attention(query, key, value, allowed):
    scores = query @ key.mT / key.shape[-1] ** 0.5
    weights = (scores * allowed).softmax(-1) * allowed
    return weights @ value, weights
