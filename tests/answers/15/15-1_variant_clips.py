import torch
from softdict.training import token_loss


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = token_loss(logits, batch.target_out)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses
