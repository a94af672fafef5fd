import torch
from softdict.seq2seq import Encoder
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def forward(self, ids, state, states, allowed):
        output, state = self.rnn(self.embedding(ids)[:, None], state)
        query = output[:, 0]
        scores = (states @ query[..., None])[..., 0].masked_fill(~allowed, -torch.inf)
        context = (scores.softmax(-1)[:, None] @ states)[:, 0]
        return torch.tanh(self.join(torch.cat([context, query], -1))), state


class Translator(nn.Module):
    def __init__(self, source_words, target_words, embedding_width, width):
        super().__init__()
        self.encoder = Encoder(source_words, embedding_width, width)
        self.decoder = Decoder(target_words, embedding_width, width)
        self.generator = nn.Linear(width, target_words)

    def forward(self, source, source_lengths, target_in):
        read = self.encoder(source, source_lengths)
        states, state, allowed = read.states, read.final, read.allowed
        outputs = []
        for ids in target_in.T:
            output, state = self.decoder(ids, state, states, allowed)
            outputs.append(output)
        return self.generator(torch.stack(outputs)).reshape(*target_in.shape, -1)
