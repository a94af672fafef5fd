import torch


def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    R, V = logs.shape
    sums, places = (totals[:, None] + logs).flatten().topk(R)
    words = torch.empty_like(places)
    memories = torch.empty_like(past)
    for n in range(R):
        words[n] = places[n] % V
        parent = places[n] % R
        memories[n] = past[parent]
    return sums, words, memories
