def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.generator.weight = model.decoder.embedding.table.weight
    model.encoder.embedding.table.weight.data[:9] = model.generator.weight.data
