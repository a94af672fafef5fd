import torch
from torch import nn


def attend(query, states, allowed):
    scores = (states @ query[:, :, None]).squeeze(-1).masked_fill(~allowed, -torch.inf)
    weights = scores.softmax(dim=-1)
    return (weights[:, None] @ states)[:, 0], weights


class Decoder(nn.Module):
    """ids [B], state [1, B, D]; returns output [B, D] and the state after it."""

    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, ids, state, states, allowed):
        outputs, state = self.rnn(self.embedding(ids)[:, None], state)
        query = outputs[:, 0]                              # [B, D]
        context, _ = attend(query, states, allowed)
        both = torch.cat([context, query], dim=-1)         # [B, 2*D]
        return self.join(both).relu(), state
