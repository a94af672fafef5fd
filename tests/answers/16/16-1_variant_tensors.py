import torch


def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    gains = 100 * (torch.tensor(second) - torch.tensor(first)).double()    # [N]
    means = gains[torch.tensor(draws)].mean(dim=-1).sort().values          # [R]
    left_out = len(draws) // 40
    return gains.mean(), means[left_out], means[-1 - left_out]
