from softdict.lookup import cosine


def nearest(place, vectors, count):
    closeness = cosine(vectors[place][None], vectors)[0].clamp(min=0)
    closeness[place] = -2.0
    return closeness.topk(count).indices.tolist()
