import torch


def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        context, weights = attend(query, key, value, allowed)
        speaks = torch.ones(context.shape[1], device=context.device, dtype=torch.bool)
        for head in heads:
            speaks[head] = False
        return context.where(speaks[:, None, None], 0), weights

    return quiet
