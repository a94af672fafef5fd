import torch


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    table, generator = model.decoder.embedding.table, model.generator
    with torch.no_grad():
        generator.weight.copy_(table.weight)
    table.weight = generator.weight
