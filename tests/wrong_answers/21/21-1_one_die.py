import torch
from softdict.vocab import PAD


def mask_words(ids, mask, rng, share=0.15):
    """Masked ids [B, T], and the target [B, T]: the chosen words, PAD elsewhere."""
    dice = torch.rand(ids.shape, generator=rng)
    chosen = (dice < share) & (ids >= 4)
    other = torch.randint(4, mask, ids.shape, generator=rng)
    out = torch.where(chosen & (dice < 0.8), mask, ids)
    out = torch.where(chosen & (dice >= 0.9), other, out)
    return out, torch.where(chosen, ids, PAD)
