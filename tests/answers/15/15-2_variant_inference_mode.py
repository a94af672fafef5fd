import torch
import torch.nn.functional as F
from softdict.vocab import PAD


@torch.inference_mode()
def fair_loss(model, batch):
    """Returns the loss per real word, measured as in use; keeps the model's mode."""
    was_training, real = model.training, batch.target_out != PAD
    try:
        logits = model.eval()(batch.source, batch.source_lengths, batch.target_in)
        return F.cross_entropy(logits[real], batch.target_out[real])
    finally:
        model.train(was_training)
