import torch


def mask_words(ids, mask, rng, share=0.15):
    def chance():
        return torch.empty(ids.shape, device=ids.device).uniform_(generator=rng)

    chosen = torch.logical_and(ids >= 4, chance() < share)
    what = chance()
    words = (chance() * (mask - 4)).long().clamp(max=mask - 5) + 4
    masked = ids.where(~chosen | (what > 0.9), words)
    masked = masked.masked_fill(chosen & (what <= 0.8), mask)
    return [masked, ids * chosen]
