import math


def text_perplexity(losses, target, ends=True):
    counted = target.ne(0) & (target.ne(3) | bool(ends))
    bits = losses.masked_select(counted) / math.log(2)
    return 2 ** bits.mean()
