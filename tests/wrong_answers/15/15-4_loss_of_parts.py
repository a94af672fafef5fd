def right_gradient(model, parts, mean_loss, words):
    """Leaves the gradient of the mean over all words of all parts, and returns that
    mean."""
    all_words = sum(words(part) for part in parts)
    model.zero_grad()
    total = 0.0
    for part in parts:
        loss = mean_loss(model, part)
        (loss * words(part) / all_words).backward()
        total += loss.item()
    return total / len(parts)
