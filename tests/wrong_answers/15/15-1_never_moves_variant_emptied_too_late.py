from softdict.vocab import PAD
import torch.nn.functional as F


def right_loop(model, optimizer, batches):
    losses = []
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = F.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(),
                               ignore_index=PAD)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return losses
