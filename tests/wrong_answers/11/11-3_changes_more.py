import torch


def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    old = model(x)
    pairs = []
    for s in range(1, len(x)):
        other = torch.cat([x[:s], torch.randn_like(x[s:])])
        new = model(other)
        for t in range(s):
            if ((new[t] - old[t]).abs() > 1e-9).any():
                pairs.append((t, s))
    return pairs
