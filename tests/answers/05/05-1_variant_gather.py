import torch
from softdict.vocab import PAD


def perplexity(batches):
    losses = []
    for logits, target in batches:
        logs = logits.log_softmax(dim=-1)
        chosen = logs.gather(-1, target[..., None])[..., 0]
        losses.append(-chosen[target != PAD])
    return torch.cat(losses).mean().exp()
