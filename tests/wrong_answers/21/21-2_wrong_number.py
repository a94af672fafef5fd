from softdict.vocab import EOS, PAD


def text_perplexity(losses, target, ends=True):
    counted = target != PAD
    if not ends:
        counted = counted & (target != EOS)
    return losses[counted].median().exp()
