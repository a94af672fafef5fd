from torch import nn


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    table = model.decoder.embedding.table
    table.weight = model.generator.weight
    nn.init.normal_(table.weight, std=table.embedding_dim ** -0.5)
