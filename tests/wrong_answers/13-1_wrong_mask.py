import torch

from softdict.masks import padding_mask


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    T = words.shape[1]
    own = norms[0](words)
    words = words + look(own, own, torch.ones(T, T, dtype=torch.bool).tril(1))
    pads = padding_mask(lengths, states.shape[1])[:, None]
    words = words + ask(norms[1](words), states, pads)
    return words + think(norms[2](words))
