import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    target = torch.full_like(source[:, :1], BOS)
    with torch.no_grad():
        while target.shape[1] <= max_length:
            last = model(source, source_lengths, target)[:, -1]
            last = last.index_fill(1, torch.tensor([PAD, BOS]), float("-inf"))
            target = torch.cat([target, last.argmax(dim=1, keepdim=True)], dim=1)
    return [[word for word in row if word not in (BOS, EOS)]
            for row in target.tolist()]
