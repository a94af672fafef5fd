import torch.nn.functional as F


def after_shuffle(new, weights, order):
    """Returns new words [T, D] and weights [T, T] of the shuffled sentence."""
    P = F.one_hot(order, num_classes=len(order))
    P_new, P_weights = P.to(new.dtype), P.to(weights.dtype)
    return P_new @ new, P_weights @ weights @ P_weights
