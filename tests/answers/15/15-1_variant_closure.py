import torch.nn.functional as F
from softdict.vocab import PAD


def right_loop(model, optimizer, batches):
    """One update for each batch; returns each batch's loss before its update."""
    def one(batch):
        def closure():
            optimizer.zero_grad()
            scores = model(batch.source, batch.source_lengths, batch.target_in)
            loss = F.nll_loss(scores.log_softmax(dim=-1).transpose(1, 2),
                              batch.target_out, ignore_index=PAD)
            loss.backward()
            return loss

        return optimizer.step(closure).item()

    return [one(batch) for batch in batches]
