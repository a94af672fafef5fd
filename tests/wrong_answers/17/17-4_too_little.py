def likeliest(shares, p):
    """Returns the new shares, a list."""
    kept, total = [], 0.0
    for place in sorted(range(len(shares)), key=lambda n: -shares[n]):
        if kept and total + shares[place] > p:
            break
        kept.append(place)
        total += shares[place]
    return [share / total if place in kept else 0.0
            for place, share in enumerate(shares)]
