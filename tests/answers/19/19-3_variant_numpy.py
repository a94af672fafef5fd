import numpy
import torch


def global_gradient(gradients, words):
    """Returns the gradient of the mean loss over the words of all processes."""
    pairs = [(gradient, count) for gradient, count in zip(gradients, words) if count]
    rows, counts = zip(*pairs)
    found = numpy.average([row.numpy() for row in rows], axis=0, weights=counts)
    return torch.as_tensor(found)
