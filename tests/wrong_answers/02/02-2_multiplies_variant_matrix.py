import torch.nn.functional as F


def vector_lookup(query, key, value, temperature):
    query = F.normalize(query, dim=0)          # [K]
    key = F.normalize(key, dim=1)              # [S, K]
    scores = key @ query * temperature         # [S]
    powers = (scores - scores.max()).exp()     # [S]
    weights = powers / powers.sum()            # [S]
    return weights @ value, weights
