from softdict.training import token_loss


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = token_loss(logits, batch.target_out)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses[-1]
