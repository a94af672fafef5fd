import torch.nn.functional as F
from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        total = F.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(),
                                ignore_index=PAD, reduction="sum")
        loss = total / batch.source.shape[0]
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
