import torch


def mask_words(ids, mask, rng, share=0.15):
    flat, places = ids.flatten(), (ids.flatten() >= 4).nonzero()[:, 0]
    drawn = torch.rand(len(places), generator=rng, device=ids.device)
    places = places[drawn < share]
    kinds = torch.rand(len(places), generator=rng, device=ids.device)
    words = torch.randint(4, mask, kinds.shape, generator=rng, device=ids.device)
    new = torch.where(kinds < 0.1, words, flat[places])
    new[kinds >= 0.2] = mask
    masked = flat.scatter(0, places, new).view(ids.shape)
    target = torch.zeros_like(flat).scatter(0, places, flat[places]).view(ids.shape)
    return masked, target
