def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    for weights in model.parameters():
        weights.grad = None
    total, count = 0.0, 0
    for part in parts:
        loss = mean_loss(model, part) * words(part)    # the sum over its words
        loss.backward()
        total, count = total + loss.item(), count + words(part)
    for weights in model.parameters():
        weights.grad /= count
    return total / count
