def likeliest(shares, p):
    """Returns the new shares, a list."""
    kept, total = [], 0.0
    for place in sorted(range(len(shares)), key=lambda n: -shares[n]):
        if total + shares[place] > p:
            break
        kept.append(place)
        total += shares[place]
    scale = 1 / total
    return [share * scale if place in kept else 0.0
            for place, share in enumerate(shares)]
