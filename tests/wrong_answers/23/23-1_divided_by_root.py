

def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    scores = (query @ key.T / key.shape[1] ** 0.5).tril()
    return scores @ value, key.T @ value
