def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    rows = []
    for words, maps in zip(ids.tolist(), weights):
        places = {}
        for t, word in enumerate(words):
            if word in places:
                rows.append(maps[:, t, [s + 1 for s in places[word]]].sum(dim=1))
            places.setdefault(word, []).append(t)
    return sum(rows) / len(rows) if rows else weights[0, :, 0, 0] * 0
