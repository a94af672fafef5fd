import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    found = []
    with torch.no_grad():
        for row, size in zip(source, source_lengths):
            ids = [BOS]
            while len(ids) <= max_length:
                target = torch.tensor([ids], device=source.device)
                scores = model(row[None, :int(size)], size[None], target)[0, -1]
                scores[PAD] = scores[BOS] = -1e30
                ids.append(int(scores.argmax()))
                if ids[-1] == EOS:
                    ids.pop()
                    break
            found.append(ids[1:])
    return found
