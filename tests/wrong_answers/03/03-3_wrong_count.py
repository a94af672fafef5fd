from softdict.lookup import cosine


def nearest(place, vectors, count):
    best = cosine(vectors[place][None], vectors)[0].topk(count).indices.tolist()
    return [other for other in best if other != place]
