from softdict.lookup import cosine


def nearest(place, vectors, count):
    """Returns a list of `count` row numbers, the nearest first."""
    closeness = cosine(vectors[place][None], vectors)[0]    # [V]
    closeness[place] = -2.0
    return closeness.topk(count).indices.tolist()
