from softdict.vocab import PAD


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    V, losses = logits.shape[1], []
    for row, right in zip(logits, target.tolist()):
        if right != PAD:
            logs = row.log_softmax(dim=-1).tolist()
            wanted = [0.0 if word == PAD else 1 - smoothing
                      if word == right else smoothing / (V - 1)
                      for word in range(V)]
            losses.append(-sum(share * log for share, log in zip(wanted, logs)))
    return sum(losses) / len(losses)
