def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    weight = model.generator.weight
    weight = model.decoder.embedding.table.weight
    return weight
