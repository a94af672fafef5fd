from softdict.vocab import EOS


def text_perplexity(losses, target, ends=True):
    counted = (target >= 4) | ((target == EOS) & ends)
    return losses[counted].mean().exp()
