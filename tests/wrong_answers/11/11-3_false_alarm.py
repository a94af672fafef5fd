def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    T = len(model(x))
    return [(t, s) for s in range(T) for t in range(s)]
