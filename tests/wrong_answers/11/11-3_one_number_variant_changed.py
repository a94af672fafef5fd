def leaks(model, x):
    before = model(x)
    T = x.shape[0]
    found = []
    for s in range(1, T):
        nudged = x.clone()
        nudged[s, 0] += 1.0
        moved = (model(nudged) - before).abs().sum(dim=-1) > 1e-9
        found.extend((t, s) for t in range(s) if moved[t])
    return found
