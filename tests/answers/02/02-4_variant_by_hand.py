def fixed_lookup(scores, value, temperature):
    scores = scores / temperature
    powers = (scores - scores.max(dim=1, keepdim=True).values).exp()
    weights = powers / powers.sum(dim=1, keepdim=True)
    return weights @ value, weights
