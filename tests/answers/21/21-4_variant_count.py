def packed_looks(segments):
    real = segments > 0
    same = segments.unsqueeze(2).eq(segments.unsqueeze(1))
    allowed = same & real.unsqueeze(1) & real.unsqueeze(2)
    before = allowed.tril(-1)    # those of its text that stand in front of a word
    return before.sum(dim=2), allowed
