import torch
from softdict.vocab import PAD


def mask_words(ids, mask, rng, share=0.15):
    chance = torch.rand(ids.shape, generator=rng, device=ids.device)
    chosen = (chance < share) & (ids >= 4)                  # [B, T]
    fate = torch.rand(ids.shape, generator=rng, device=ids.device)
    words = torch.randint(1, mask, ids.shape, generator=rng, device=ids.device)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)   # [B, T]
    exchanged = chosen & (fate >= 0.8) & (fate < 0.9)
    masked = torch.where(exchanged, words, masked)          # [B, T]
    return masked, ids.masked_fill(~chosen, PAD)
