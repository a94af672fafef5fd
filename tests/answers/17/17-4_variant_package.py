import torch

from softdict.sampling import keep_top_p


def likeliest(shares, p):
    """Returns the new shares, a list."""
    return keep_top_p(torch.tensor(shares).double().log(), p).softmax(dim=-1).tolist()
