def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.decoder.embedding.table.weight = model.generator.weight
