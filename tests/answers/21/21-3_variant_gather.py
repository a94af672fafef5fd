from softdict.vocab import PAD


def blank_loss(logits, target):
    shares = logits.log_softmax(dim=-1)
    losses = -shares.gather(-1, target.unsqueeze(-1)).squeeze(-1)
    chosen = target.ne(PAD)
    return losses.where(chosen, 0).sum() / max(chosen.sum(), 1)
