"""Chapter 23: the code of *In short* against softdict.linear_attention."""

import torch
from softdict.linear_attention import gated_delta_block, gated_delta_rule


def compare(names):
    parts = [names[name].detach().clone().requires_grad_() for name in "qkvba"]
    mine, state = names["value"], names["M"]
    for rule in (gated_delta_rule, gated_delta_block):
        answers, memory = rule(*parts)
        torch.testing.assert_close(mine, answers)
        torch.testing.assert_close(state, memory)
    again, (q, k, v, b, a) = [], (part.double() for part in parts)
    M = torch.zeros(4, 4, dtype=torch.float64)
    for t in range(5):    # the fold's lines, whose tensors learn here
        M = a[t] * M
        news = v[t] - k[t] @ M
        M = M + k[t][:, None] * b[t] * news
        again.append(q[t] @ M)
    grads = torch.autograd.grad(torch.stack(again).square().sum(), parts)
    others = torch.autograd.grad(answers.square().sum(), parts)
    for one, other in zip(grads, others):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)
