import torch


def vector_lookup(query, key, value, temperature):
    lengths = (query.norm() * key.norm()).clamp_min(1e-8)
    scores = torch.stack([query @ k / lengths for k in key])
    scores = scores / temperature
    powers = (scores - scores.max()).exp()
    weights = powers / powers.sum()
    answer = sum(w * v for w, v in zip(weights, value))
    return answer, weights
