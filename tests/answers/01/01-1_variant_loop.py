def list_lookup(query, keys, values):
    if query not in keys:
        raise KeyError(f"nothing called {query}")
    count = keys.count(query)
    weights, answer = [], 0
    for position in range(len(keys)):
        weight = (keys[position] == query) / count
        weights.append(weight)
        answer += weight * values[position]
    return [answer, weights]
