from softdict.lookup import cosine


def nearest(place, vectors, count):
    closeness = cosine(vectors[place][None], vectors)[0]
    return closeness.topk(count + 1).indices[1:].tolist()
