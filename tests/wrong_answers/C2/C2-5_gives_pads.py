import torch
from softdict.vocab import BOS, EOS, PAD


def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    written = []
    with torch.no_grad():
        for sentence in source:
            row = [BOS]
            for _ in range(max_length):
                scores = model(sentence[None], torch.tensor([len(sentence)]),
                               torch.tensor([row]))[0, -1]
                scores = scores.clone()
                scores[[PAD, BOS]] = float("-inf")
                best = scores.argmax().item()
                if best == EOS:
                    break
                row.append(best)
            written.append(row[1:])
    return written
