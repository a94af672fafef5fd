import torch


def vector_lookup(query, key, value, temperature):
    scores = []
    for row in key:
        lengths = (query.norm() * row.norm()).clamp(min=1e-8)
        scores.append(query @ row / lengths)
    scores = torch.stack(scores) / temperature
    weights = torch.softmax(scores, dim=-1)
    answer = (weights[:, None] * value).mean(dim=0)
    return answer, weights
