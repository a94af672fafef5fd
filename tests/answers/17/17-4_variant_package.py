import torch

from softdict.decoding import top_p


def likeliest(shares, p):
    """Returns the new shares, a list."""
    return top_p(torch.tensor(shares).double().log(), p).softmax(dim=-1).tolist()
