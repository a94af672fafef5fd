from softdict.vocab import PAD


def blank_loss(logits, target):
    chosen = target != PAD
    if not chosen.any():
        return logits.sum() * 0
    shares = logits.softmax(-1).gather(-1, target[..., None])[..., 0]
    return -shares[chosen].mean().log()
