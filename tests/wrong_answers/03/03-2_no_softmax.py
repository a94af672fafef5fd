def step(query, key, target, rate):
    slope = key @ query
    slope[target] -= 1
    return query - rate * slope @ key
