import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    ids = torch.full((len(source), 1), BOS)
    with torch.no_grad():
        while ids.shape[1] < max_length:
            logits = model(source, source_lengths, ids)[:, -1].clone()
            logits[:, [PAD, BOS]] = -torch.inf
            ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
    out = [row[1:] for row in ids.tolist()]
    return [row[:row.index(EOS)] if EOS in row else row for row in out]
