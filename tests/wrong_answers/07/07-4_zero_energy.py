import torch

from softdict.lookup import softmax


def attention_step(word, state, states, allowed, rnn, join):
    """Returns output [B, D], the new state [L, B, D] and weights [B, S]."""
    outputs, state = rnn(word[:, None], state)
    query = outputs[:, 0]
    energies = torch.einsum("bsd,bd->bs", states, query)
    weights = softmax(energies * allowed)
    context = torch.einsum("bs,bsd->bd", weights, states)
    return join(torch.cat([context, query], dim=-1)).tanh(), state, weights
