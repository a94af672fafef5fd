import torch
from softdict.seq2seq import Attend
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.join = nn.Linear(width + width, width, bias=False)
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=0)
        self.rnn = nn.GRU(input_size=embedding_width, hidden_size=width,
                          batch_first=True)
        self.attend = Attend()

    def forward(self, ids, state, states, allowed):
        word = self.embedding(ids.unsqueeze(1))
        _, state = self.rnn(word, state)
        context, _ = self.attend(state[-1], (states, states, allowed))
        return torch.tanh(self.join(torch.hstack([context, state[-1]]))), state
