import numpy as np


def likeliest(shares, p):
    """Returns the new shares, a list."""
    shares = np.array(shares)
    order = np.argsort(-shares, kind="stable")
    before = np.cumsum(shares[order]) - shares[order]
    kept = order[before < p]
    new = np.zeros_like(shares)
    new[kept] = shares[kept] / p
    return new.tolist()
