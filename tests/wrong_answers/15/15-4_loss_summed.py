def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    model.zero_grad()
    everything, total = sum(words(part) for part in parts), 0.0
    for part in parts:
        share = mean_loss(model, part) * words(part) / everything
        share.backward()
        total += share.item() * everything
    return total
