import torch
from torch import nn


class Decoder(nn.Module):

    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, ids, state, states, allowed):
        query = state[0]
        out, state = self.rnn(self.embedding(ids)[:, None], state)
        scores = torch.einsum("bd,bsd->bs", query, states)
        weights = scores.masked_fill(~allowed, -torch.inf).softmax(-1)
        context = torch.einsum("bs,bsd->bd", weights, states)
        return torch.tanh(self.join(torch.cat([context, out[:, 0]], -1))), state
