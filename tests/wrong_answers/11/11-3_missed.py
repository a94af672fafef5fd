def leaks(model, x):
    """Returns pairs (t, s), t < s, where new word t depends on the later word s."""
    return []
