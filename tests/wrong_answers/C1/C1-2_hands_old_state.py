from torch import nn
import torch


def attend(query, states, allowed):
    """Returns the context [B, D] and the weights [B, S]."""
    scores = (states @ query[:, :, None]).squeeze(-1)
    scores = scores.masked_fill(~allowed, float("-inf"))
    weights = scores.softmax(dim=-1)
    context = (weights[:, None, :] @ states).squeeze(1)
    return context, weights


class Decoder(nn.Module):
    """ids [B], state [1, B, D]; returns output [B, D] and the state after it."""

    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, ids, state, states, allowed):
        read, _ = self.rnn(self.embedding(ids)[:, None], state)
        query = read[:, 0]
        context, _ = attend(query, states, allowed)
        return torch.tanh(self.join(torch.cat([context, query], dim=-1))), state
