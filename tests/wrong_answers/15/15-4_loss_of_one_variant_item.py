def right_gradient(model, parts, mean_loss, words):
    counts = [words(part) for part in parts]
    model.zero_grad()
    for part, count in zip(parts, counts):
        loss = mean_loss(model, part)
        (loss * count / sum(counts)).backward()
    return loss.item()
