import torch.nn.functional as F


def step(query, key, target, rate):
    query = query.detach().clone().requires_grad_()
    F.log_softmax(key @ query, dim=0)[target].neg().backward()
    return (query - rate * query.grad).detach()
