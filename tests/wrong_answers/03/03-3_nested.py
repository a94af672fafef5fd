from softdict.lookup import cosine


def nearest(place, vectors, count):
    closeness = cosine(vectors[place][None], vectors)
    closeness[0, place] = -2.0
    return closeness.topk(count).indices.tolist()
