import torch


def paired(first, second, draws):
    """Returns how much better the second is, and both ends of the interval."""
    one = torch.tensor(first, dtype=torch.float64)
    two = torch.tensor(second, dtype=torch.float64)
    numbers = torch.tensor(draws)
    scores_one = one[numbers].mean(dim=1).sort().values
    scores_two = two[numbers].mean(dim=1).sort().values
    gaps = 100 * (scores_two - scores_one)
    cut = len(draws) // 40
    whole = 100 * (two.mean() - one.mean())
    return whole.item(), gaps[cut].item(), gaps[-cut - 1].item()
