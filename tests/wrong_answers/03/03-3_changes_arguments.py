def nearest(place, vectors, count):
    vectors /= vectors.norm(dim=1, keepdim=True)
    closeness = vectors @ vectors[place]
    closeness[place] = -2.0
    return closeness.topk(count).indices.tolist()
