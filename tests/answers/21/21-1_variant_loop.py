import torch


def mask_words(ids, mask, rng, share=0.15):
    def draw():
        return torch.rand((), generator=rng).item()

    masked, target = ids.clone(), torch.zeros_like(ids)
    for b, row in enumerate(ids.tolist()):
        for t, word in enumerate(row):
            if word < 4 or draw() >= share:
                continue
            target[b, t] = word
            fate = draw()
            if fate < 0.8:
                masked[b, t] = mask
            elif fate < 0.9:
                masked[b, t] = torch.randint(4, mask, (), generator=rng)
    return masked, target
