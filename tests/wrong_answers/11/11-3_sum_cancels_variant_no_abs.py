def leaks(model, x):
    old = model(x)
    pairs = []
    for t in range(len(x)):
        for s in range(t + 1, len(x)):
            other = x.clone()
            other[s] = other[s] + 1.0
            if (model(other)[t] - old[t]).sum() > 1e-9:
                pairs.append((t, s))
    return pairs
