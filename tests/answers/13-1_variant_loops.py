import torch


def decoder_layer(words, states, lengths, look, ask, think, norms):
    """Returns new words [B, T, D]."""
    B, T, S = len(words), words.shape[1], states.shape[1]
    earlier = torch.tensor([[s <= t for s in range(T)] for t in range(T)])
    real = torch.tensor([[[s < int(length) for s in range(S)]] for length in lengths])
    assert real.shape == (B, 1, S)
    asking = norms[0](words)
    after_look = look(asking, asking, allowed=earlier) + words
    after_ask = ask(norms[1](after_look), states, allowed=real) + after_look
    return think(norms[2](after_ask)) + after_ask
