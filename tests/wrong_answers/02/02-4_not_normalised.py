def fixed_lookup(scores, value, temperature):
    weights = (scores / temperature).exp()
    return weights @ value, weights
