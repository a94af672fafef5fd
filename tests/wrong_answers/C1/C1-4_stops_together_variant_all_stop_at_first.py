import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    words = torch.full((len(source), 1), BOS)
    for _ in range(max_length):
        logits = model(source, source_lengths, words)[:, -1].clone()
        logits[:, [PAD, BOS]] = -torch.inf
        best = logits.argmax(-1)
        if (best == EOS).any():
            break
        words = torch.cat([words, best[:, None]], 1)
    return words[:, 1:].tolist()
