import torch


def rates(updates, warmup, peak):
    """The learning rates of updates 1, 2, ..., in a list."""
    adam = torch.optim.Adam([torch.zeros(1, requires_grad=True)], lr=peak)
    schedule = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min(
        (step + 1) / warmup, (warmup / (step + 1)) ** 0.5))
    found = []
    for _ in range(updates):
        found.append(adam.param_groups[0]["lr"])
        adam.step()
        schedule.step()
    return found
