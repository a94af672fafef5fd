import torch
import torch.nn.functional as F
from softdict.vocab import PAD


def fair_loss(model, batch):
    """Returns the loss per real word, measured as in use; keeps the model's mode."""
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(batch.source, batch.source_lengths, batch.target_in)
    model.train(was_training)
    losses = F.cross_entropy(logits.transpose(1, 2), batch.target_out,
                             ignore_index=PAD, reduction="none")
    return losses.mean().item()
