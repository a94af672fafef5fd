import torch


def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        return torch.zeros_like(query), allowed

    return quiet
