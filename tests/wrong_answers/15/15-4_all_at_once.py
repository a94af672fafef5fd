def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    model.zero_grad()
    total = sum(mean_loss(model, part) * words(part)
                for part in parts) / sum(map(words, parts))
    total.backward()
    return total.item()
