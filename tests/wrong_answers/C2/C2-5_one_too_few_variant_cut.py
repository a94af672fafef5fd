import torch
from softdict.vocab import BOS, EOS, PAD


@torch.no_grad()
def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    rows = []
    for b in range(len(source)):
        ids = [BOS]
        while ids[-1] != EOS and len(ids) <= max_length:
            logits = model(source[b:b + 1], source_lengths[b:b + 1],
                           torch.tensor([ids]))
            last = logits[0, -1].clone()
            last[PAD] = last[BOS] = -torch.inf
            ids.append(int(last.argmax()))
        rows.append(ids[1:-1])
    return rows
