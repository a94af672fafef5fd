def matrix_lookup(query, key, value):
    matches = query @ key.T
    total = matches.sum(dim=1, keepdim=True)
    if total == 0:
        total = 1
    return matches / total @ value, matches / total
