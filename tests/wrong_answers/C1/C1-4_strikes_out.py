import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    words = torch.full((len(source), 1), BOS)
    for _ in range(max_length):
        best = model(source, source_lengths, words)[:, -1].argmax(-1)
        words = torch.cat([words, best[:, None]], 1)
    rows = words[:, 1:].tolist()
    rows = [row[:row.index(EOS)] if EOS in row else row for row in rows]
    return [[w for w in row if w not in (PAD, BOS)] for row in rows]
