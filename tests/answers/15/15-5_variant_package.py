from softdict.training import smoothed_loss


def smoothed(logits, target, smoothing):
    """Returns the smoothed loss of the places whose target is no PAD."""
    return smoothed_loss(logits, target, smoothing)
