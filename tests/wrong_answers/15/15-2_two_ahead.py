import torch
from torch import nn

from softdict.vocab import PAD


def fair_loss(model, batch):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = nn.functional.cross_entropy(
            logits[:, :-1].flatten(0, 1), batch.target_out[:, 1:].flatten(),
            ignore_index=PAD)
    model.train(was_training)
    return loss.item()
