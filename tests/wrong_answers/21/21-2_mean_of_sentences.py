from softdict.vocab import EOS, PAD


def text_perplexity(losses, target, ends=True):
    counted = target != PAD
    if not ends:
        counted = counted & (target != EOS)
    rows = [row[keep].mean() for row, keep in zip(losses, counted) if keep.any()]
    return (sum(rows) / len(rows)).exp()
