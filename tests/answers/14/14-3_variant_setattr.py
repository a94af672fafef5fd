def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    table = model.decoder.embedding.table
    setattr(model.generator, "weight", table.weight)
    return model
