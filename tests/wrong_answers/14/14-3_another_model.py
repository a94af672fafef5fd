import copy


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    model = copy.deepcopy(model)
    model.generator.weight = model.decoder.embedding.table.weight
    return model
