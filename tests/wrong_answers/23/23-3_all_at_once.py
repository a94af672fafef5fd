def in_blocks(query, key, value, size):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    return (query @ key.T).tril() @ value, key.T @ value
