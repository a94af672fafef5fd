from softdict.lookup import cosine


def nearest(place, vectors, count):
    return cosine(vectors[place][None], vectors)[0].topk(count).indices.tolist()
