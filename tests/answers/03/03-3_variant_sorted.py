def nearest(place, vectors, count):
    def closeness(other):
        return (vectors[place] @ vectors[other]
                / (vectors[place].norm() * vectors[other].norm())).item()

    others = [other for other in range(len(vectors)) if other != place]
    return sorted(others, key=closeness, reverse=True)[:count]
