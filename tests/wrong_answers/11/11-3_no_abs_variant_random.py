import torch


def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    before = model(x)
    found = []
    for s in range(len(x)):
        changed = x.clone()
        changed[s] += torch.randn(x.shape[1])
        after = model(changed)
        for t in range(s):
            if (after[t] - before[t]).max() > 1e-9:
                found.append((t, s))
    return found
