from softdict.lookup import cosine


def nearest(place, vectors, count):
    scores = cosine(vectors[place][None], vectors)[0].clone()
    scores[place] = -float("inf")
    return scores.topk(count).indices
