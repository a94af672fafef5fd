from softdict.vocab import PAD
import torch
import torch.nn.functional as F


def fair_loss(model, batch):
    was = model.training
    model.eval()
    with torch.no_grad():
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = F.cross_entropy(logits.mT, batch.target_out, ignore_index=PAD,
                               reduction="sum")
    model.train(was)
    return loss.item()
