def write_and_read(query, key, value):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    return (query @ key.T).tril() @ value, key.T @ value
