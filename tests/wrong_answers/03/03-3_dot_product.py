def nearest(place, vectors, count):
    closeness = vectors @ vectors[place]
    closeness[place] = -1e9
    return closeness.topk(count).indices.tolist()
