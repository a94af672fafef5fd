def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model.generator = model.decoder.embedding.table
