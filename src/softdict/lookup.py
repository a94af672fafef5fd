"""From exact match to soft lookup: what a dictionary does, with degrees for yes and no.

Chapter 01 builds `exact_lookup`; chapter 02 builds everything below it.
"""


def is_same(query, key):
    """1.0 if the query equals the key, else 0.0."""
    return float(query == key)


def exact_lookup(query, keys, values):
    """Mean of the values whose key equals the query, and the weights that make it.

    keys and values are lists of equal length; values can be weighted and added
    returns the answer and a list with one weight per key; the weights add up to 1
    raises KeyError if no key equals the query
    """
    if len(keys) != len(values):
        raise ValueError(f"got {len(keys)} keys and {len(values)} values; "
                         "each key needs one value")
    matches = [is_same(query, key) for key in keys]
    total = sum(matches)
    if total == 0:
        raise KeyError(f"no key equals {query!r}")
    weights = [match / total for match in matches]
    answer = sum(weight * value for weight, value in zip(weights, values))
    return answer, weights


def softmax(scores):
    """Positive weights that add up to 1 along the last axis: shares of exp(score).

    scores [..., S]; returns weights [..., S]
    """
    # exp(89) overflows in float32; only differences of scores matter, so shift them
    shifted = scores - scores.amax(dim=-1, keepdim=True)    # [..., S]
    powers = shifted.exp()                                  # [..., S]
    return powers / powers.sum(dim=-1, keepdim=True)        # [..., S]


def dot(query, key):
    """Dot product of every query with every key.

    query [..., T, K], key [..., S, K]; returns scores [..., T, S]
    """
    return query @ key.transpose(-2, -1)    # [..., T, S]


def cosine(query, key):
    """Cosine of the angle between every query and every key, from -1 to 1.

    query [..., T, K], key [..., S, K]; returns scores [..., T, S]
    a vector of zeros has cosine 0 with everything
    """
    query_length = query.norm(dim=-1, keepdim=True).clamp_min(1e-8)    # [..., T, 1]
    key_length = key.norm(dim=-1, keepdim=True).clamp_min(1e-8)        # [..., S, 1]
    return dot(query / query_length, key / key_length)                 # [..., T, S]


def lookup(query, key, value, score=cosine, temperature=1.0):
    """Weighted average of the values for each query, and its weights.

    query [..., T, K], key [..., S, K], value [..., S, D]
    score(query, key) gives [..., T, S], higher where a key fits better
    at a low temperature the best key gets nearly all the weight, at a high temperature
    all keys get nearly equal weights
    returns answers [..., T, D] and weights [..., T, S]; a row of weights adds up to 1
    raises ValueError for a temperature that is not above 0
    """
    if not temperature > 0:
        raise ValueError(f"temperature must be above 0; got {temperature}")
    weights = softmax(score(query, key) / temperature)    # [..., T, S]
    return weights @ value, weights
