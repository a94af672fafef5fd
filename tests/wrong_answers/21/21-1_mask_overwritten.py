import torch


def mask_words(ids, mask, rng, share=0.15):
    """Masked ids [B, T], and the target [B, T]: the chosen words, PAD elsewhere."""
    chosen = torch.rand(ids.shape, generator=rng, device=ids.device) < share
    chosen &= ids > 3
    fate = torch.rand(ids.shape, generator=rng, device=ids.device)
    drawn = torch.randint(4, mask, ids.shape, generator=rng, device=ids.device)
    masked = ids.clone()
    masked = masked.masked_fill(chosen & (fate < 0.8), mask)
    masked = torch.where(chosen & (fate < 0.9), drawn, masked)
    target = ids * chosen
    return masked, target
