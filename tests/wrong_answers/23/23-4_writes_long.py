import torch


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    state, found = torch.zeros_like(key.T @ value), []
    for t, word in enumerate(key):
        unit = word / word.norm().clamp(min=1e-8)
        knew = unit @ state
        news = strength[t] * (value[t] - knew)
        state = state + torch.outer(word, news)
        found.append(query[t] @ state)
    return torch.stack(found), state
