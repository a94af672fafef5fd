from torch import nn


def tie(model):
    """Makes the generator share the matrix of the decoder's embedding."""
    table = model.decoder.embedding.table
    model.generator = nn.Linear(table.embedding_dim, table.num_embeddings, bias=False)
    model.generator.weight = table.weight
