from softdict.vocab import PAD


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    V, losses = logits.shape[1], []
    for row, right in zip(logits, target.tolist()):
        if right == PAD:
            continue
        logs = row.log_softmax(dim=-1).tolist()
        loss = 0.0
        for word in range(V):
            wanted = 0.0 if word == PAD else smoothing / V
            if word == right:
                wanted += 1 - smoothing
            loss -= wanted * logs[word]
        losses.append(loss)
    return sum(losses) / len(losses)
