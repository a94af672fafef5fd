def text_perplexity(losses, target, ends=True):
    counted = (target > 3) | (target == 1) | (target == 2)
    if ends:
        counted |= target == 3
    return ((losses * counted).sum() / counted.sum()).exp()
