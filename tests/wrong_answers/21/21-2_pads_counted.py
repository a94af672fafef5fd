from softdict.vocab import EOS


def text_perplexity(losses, target, ends=True):
    if not ends:
        losses = losses[target != EOS]
    return losses.mean().exp()
