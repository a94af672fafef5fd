import torch
from torch import nn


def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    scores = (states @ query[:, :, None])[:, :, 0]                   # [B, S]
    weights = scores.masked_fill(~allowed, float("-inf")).softmax(dim=-1)
    return (weights[:, None] @ states)[:, 0], weights


class Decoder(nn.Module):
    """ids [B], state [1, B, D]; returns output [B, D] and the state after it."""

    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, ids, state, states, allowed):
        out, hidden = self.rnn(self.embedding(ids)[:, None, :], state)
        query = out[:, -1]
        context, weights = attend(query, states, allowed)
        output = torch.tanh(self.join(torch.cat((context, query), dim=-1)))
        return output, output[None]
