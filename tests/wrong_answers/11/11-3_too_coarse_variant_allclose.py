import torch


def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    with torch.no_grad():
        reference = model(x.clone())
        pairs = []
        for s in range(1, x.size(0)):
            perturbed = x.clone()
            perturbed[s] = torch.randn_like(x[s])
            output = model(perturbed)
            pairs.extend((t, s) for t in range(s)
                         if not torch.allclose(output[t], reference[t]))
    return pairs
