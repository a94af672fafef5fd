import torch
from softdict.training import token_loss


def fair_loss(model, batch):
    """Returns the loss per real word, measured as in use; keeps the model's mode."""
    was_training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(batch.source, batch.source_lengths, batch.target_in)
    model.train(was_training)
    return token_loss(logits, batch.target_out).item()
