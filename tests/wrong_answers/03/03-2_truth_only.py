def step(query, key, target, rate):
    return query + rate * key[target]
