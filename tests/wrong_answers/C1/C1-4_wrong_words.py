import torch
from softdict.vocab import BOS, EOS, PAD


@torch.no_grad()
def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    target = torch.full_like(source[:, :1], BOS)                       # [B, 1]
    for _ in range(max_length):
        logits = model(source, source_lengths, target)[:, -1]          # [B, V]
        logits[:, [PAD, BOS]] = float("-inf")
        target = torch.cat([target, logits.topk(2).indices[:, 1][:, None]], dim=1)
    rows = [row[1:] for row in target.tolist()]
    return [row[:row.index(EOS)] if EOS in row else row for row in rows]
