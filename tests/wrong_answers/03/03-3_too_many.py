from softdict.lookup import cosine


def nearest(place, vectors, count):
    """Returns a list of `count` row numbers, the nearest first."""
    best = cosine(vectors[place][None], vectors)[0].topk(count + 1).indices.tolist()
    return [row for row in best if row != place]
