import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = torch.zeros(len(batches))
    for n, batch in enumerate(batches):
        real = batch.target_out != PAD
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = F.cross_entropy(logits[real], batch.target_out[real])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[n] = loss.detach()
    return losses
