from softdict.vocab import PAD


def text_perplexity(losses, target, ends=True):
    return losses[target != PAD].mean().exp()
