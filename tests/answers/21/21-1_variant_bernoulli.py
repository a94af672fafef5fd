import torch


def mask_words(ids, mask, rng, share=0.15):
    def coin(chance):
        weights = torch.full(ids.shape, chance, device=ids.device)
        return torch.bernoulli(weights, generator=rng).bool()

    chosen = coin(share) & (ids > 3)
    hide = chosen & coin(0.8)
    exchange = chosen & ~hide & coin(0.5)    # half of the rest
    masked, target = ids.clone(), ids.clone()
    masked[hide] = mask
    words = torch.randint(4, mask, ids.shape, generator=rng, device=ids.device)
    masked[exchange] = words[exchange]
    target[~chosen] = 0
    return masked, target
