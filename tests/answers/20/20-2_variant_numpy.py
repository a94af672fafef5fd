import numpy
import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    hit = []
    for b, word, other in links:
        rows = weights[b, :, word].detach().cpu().numpy().copy()
        rows[:, [0, word]] = -numpy.inf
        hit.append(rows.argmax(axis=1) == other)
    offsets = numpy.array([other - word for _, word, other in links])
    counts = numpy.unique(offsets, return_counts=True)[1]
    return torch.from_numpy(numpy.mean(hit, axis=0)), float(counts.max() / len(links))
