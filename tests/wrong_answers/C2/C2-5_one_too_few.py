import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    words = torch.full((len(source), 1), BOS)
    while words.shape[1] < max_length:
        logits = model(source, source_lengths, words)[:, -1].clone()
        logits[:, [PAD, BOS]] = -torch.inf
        words = torch.cat([words, logits.argmax(-1, keepdim=True)], 1)
    rows = words[:, 1:].tolist()
    return [row[:row.index(EOS)] if EOS in row else row for row in rows]
