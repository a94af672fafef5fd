"""Chapter 12: the code of *In short* against softdict.layers, heads and experiments."""

import torch
from softdict.attention import scaled_dot
from softdict.experiments.endings import nearer
from softdict.heads import rotary
from softdict.layers import rotate, sinusoids


def compare(names):
    x, query, key, p = (names[name] for name in ("x", "q", "k", "p"))
    coded, rope, alibi = names["value"]
    torch.testing.assert_close(coded, x + sinusoids(p, 8))
    value = torch.eye(5)    # so that what attention finds are its weights
    for mine, attend in ((rope, rotary), (alibi, nearer)):
        found, _ = attend(*(part[None, None] for part in (query, key, value)))
        torch.testing.assert_close(mine.softmax(-1), found[0, 0])
    torch.testing.assert_close(rope, scaled_dot(rotate(query, p), rotate(key, p)))
    free = query.clone().requires_grad_()
    for mine, theirs in zip(gradients(names["rotate"](free), free),
                            gradients(rotate(free, p), free)):
        torch.testing.assert_close(mine, theirs)


def gradients(values, weights):
    return torch.autograd.grad((values * torch.arange(1.0, 9.0)).sum(), weights)
