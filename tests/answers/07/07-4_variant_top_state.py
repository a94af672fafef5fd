import torch

from softdict.attention import attention
from softdict.lookup import dot


def attention_step(word, state, states, allowed, rnn, join):
    """Returns output [B, D], the new state [L, B, D] and weights [B, S]."""
    _, new = rnn(word.unsqueeze(1), state)
    query = new[-1].unsqueeze(1)
    context, weights = attention(query, states, states, allowed.unsqueeze(1), dot)
    output = torch.tanh(join(torch.cat((context, query), dim=2)))
    return output.squeeze(1), new, weights.squeeze(1)
