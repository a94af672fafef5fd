import torch.nn.functional as F
from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    model.train()
    model.zero_grad()
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = F.cross_entropy(logits.transpose(1, 2), batch.target_out,
                               ignore_index=PAD)
        loss.backward()
        optimizer.step()
        model.zero_grad(set_to_none=False)
        losses.append(loss.detach())
    return losses
