def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.generator.weight = model.encoder.embedding.table.weight
