import torch


def silenced(matrix, head, heads):
    """Returns a matrix [D, D] with which one head says nothing."""
    D = matrix.shape[1]
    return matrix * (torch.arange(D) // (D // heads) != head)
