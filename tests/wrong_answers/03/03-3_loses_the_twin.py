from softdict.lookup import cosine


def nearest(place, vectors, count):
    """Returns a list of `count` row numbers, the nearest first."""
    closeness = cosine(vectors[place][None], vectors)[0]
    rows = sorted(range(len(vectors)), key=lambda row: -closeness[row])
    return [row for row in rows
            if row != place and not vectors[row].equal(vectors[place])][:count]
