from softdict.lookup import cosine


def nearest(place, vectors, count):
    closeness = cosine(vectors[place][None], vectors)[0]
    closeness[place] = -1.0
    return closeness.topk(count).indices.tolist()
