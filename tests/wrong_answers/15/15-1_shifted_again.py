import torch.nn.functional as F
from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    losses = []
    for batch in batches:
        read, said = batch.target_in[:, :-1], batch.target_in[:, 1:]
        logits = model(batch.source, batch.source_lengths, read)
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), said.reshape(-1),
                               ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
