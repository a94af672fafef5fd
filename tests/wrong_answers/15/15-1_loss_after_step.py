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
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        losses.append(token_loss(logits, batch.target_out).item())
    return losses
