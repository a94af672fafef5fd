import torch
from softdict.vocab import PAD


def mask_words(ids, mask, rng, share=0.15):
    # one number decides both: below .8 of the share, below .9 of it, below all of it
    chance = torch.rand(ids.shape, generator=rng, device=ids.device) / share
    chance = chance.masked_fill(ids < 4, 2.0)
    words = torch.randint(4, mask, ids.shape, generator=rng, device=ids.device)
    masked = torch.where(chance < 0.9, words, ids)
    return (torch.where(chance < 0.8, mask, masked),
            torch.where(chance < 1, ids, PAD))
