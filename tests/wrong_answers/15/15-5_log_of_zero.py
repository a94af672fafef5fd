from math import log

from softdict.vocab import PAD


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    V, losses = logits.shape[1], []
    for row, right in zip(logits.softmax(dim=-1), target.tolist()):
        if right == PAD:
            continue
        loss = 0.0
        for word, share in enumerate(row.tolist()):
            wanted = 0.0 if word == PAD else smoothing / (V - 1)
            if word == right:
                wanted += 1 - smoothing
            loss += wanted * (log(wanted) - log(share))
        losses.append(loss)
    return sum(losses) / len(losses)
