def prefix_scores(weights, ids):
    """Mean weight of each head [H] on what followed the same word earlier.

    weights [B, H, T, T], ids [B, T]
    """
    same = (ids.unsqueeze(2) == ids.unsqueeze(1)).tril(-1)
    behind = same.roll(1, dims=2)    # nothing stands in the last column
    places = behind.any(dim=-1)
    if not places.any():
        return weights.new_zeros(weights.shape[1])
    found = weights.masked_fill(~behind.unsqueeze(1), 0).sum(dim=-1)    # [B, H, T]
    return found.transpose(0, 1)[:, places].mean(dim=1)
