from softdict.vocab import EOS, PAD


def text_perplexity(losses, target, ends=True):
    return losses[(target != PAD) & (target != EOS)].mean().exp()
