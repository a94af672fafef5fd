from torch import nn


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.generator.weight = nn.Parameter(model.decoder.embedding.table.weight.T)
