from softdict.lookup import cosine


def nearest(place, vectors, count):
    best = cosine(vectors[place][None], vectors)[0].topk(count + 1).indices.tolist()
    best.remove(place)
    return best
