from softdict.vocab import EOS, PAD


def text_perplexity(losses, target, ends=True):
    """The perplexity of a text; losses [B, T] of the words target [B, T]."""
    counted = target != PAD                       # [B, T]
    if not ends:
        counted = counted & (target != EOS)       # [B, T]
    return losses[counted].mean().exp().item()
