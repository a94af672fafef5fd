import torch
from softdict.vocab import PAD


def mask_words(ids, mask, rng, share=0.15):
    chosen = (torch.rand(ids.shape, generator=rng) < share) & (ids >= 4)
    target = ids.masked_fill(~chosen, PAD)
    fate = torch.rand(ids.shape, generator=rng)
    words = torch.randint(4, mask, ids.shape, generator=rng)
    ids[chosen & (fate < 0.8)] = mask
    exchanged = chosen & (fate >= 0.9)
    ids[exchanged] = words[exchanged]
    return ids, target
