def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.generator.weight.data = model.decoder.embedding.table.weight.data
