from softdict.training import token_loss


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = token_loss(model(batch.source, batch.source_lengths, batch.target_in),
                          batch.target_out)
        loss.backward()
        losses.append(loss.item())
    return losses
