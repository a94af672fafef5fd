import torch


def leaks(model, words):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    words = words.clone().requires_grad_()
    new = model(words)
    direction = torch.randn(new.shape[-1], dtype=new.dtype)
    found = set()
    for t in range(len(words)):
        [slope] = torch.autograd.grad(new[t] @ direction, words, retain_graph=True)
        found |= {(t, s) for s in range(t + 1, len(words)) if slope[s].abs().max() > 1e-12}
    return found
