from fractions import Fraction


def list_lookup(query, keys, values):
    count = keys.count(query)
    if not count:
        raise KeyError(query)
    answer = sum(Fraction(value) / count
                 for key, value in zip(keys, values) if key == query)
    return answer, (Fraction(key == query, count) for key in keys)
