def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    before = model(x)
    found = []
    for s in range(len(x)):
        changed = x.clone()
        changed[s] += 1
        moved = (model(changed) - before).square().sum(dim=-1) > 1e-9
        found += [(t, s) for t in range(s) if moved[t]]
    return found
