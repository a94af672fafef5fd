def nearest(place, vectors, count):
    distance = (vectors - vectors[place]).norm(dim=1)
    distance[place] = 1e9
    return (-distance).topk(count).indices.tolist()
