def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    model.zero_grad()
    total = 0.0
    for part in parts:
        share = mean_loss(model, part)
        share.backward()
        total += share.item()
    return total
