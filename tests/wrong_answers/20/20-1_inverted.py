import torch


def silent(attend, heads):
    """A function that attends like `attend`, but these heads answer with zeros."""
    def quiet(query, key, value, allowed):
        context, weights = attend(query, key, value, allowed)
        kept = torch.zeros_like(context)
        kept[:, heads] = context[:, heads]
        return kept, weights

    return quiet
