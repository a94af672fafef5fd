def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    model.zero_grad()
    seen, total = 0, 0.0
    for part in parts:
        n = words(part)
        seen += n
        loss = mean_loss(model, part) * (n / seen)
        loss.backward()
        total = total + loss.item()
    return total
