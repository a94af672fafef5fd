import torch


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    with torch.no_grad():
        model.generator.weight.copy_(model.decoder.embedding.table.weight)
