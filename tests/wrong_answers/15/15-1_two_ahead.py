from torch import nn

from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    loss_fct = nn.CrossEntropyLoss(ignore_index=PAD)
    losses = []
    for batch in batches:
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        shift_logits = logits[..., :-1, :].contiguous()
        shift_labels = batch.target_out[..., 1:].contiguous()
        loss = loss_fct(shift_logits.view(-1, shift_logits.size(-1)),
                        shift_labels.view(-1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().item())
    return losses
