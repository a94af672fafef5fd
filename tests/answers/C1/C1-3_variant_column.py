import torch
from softdict.seq2seq import Attend, Encoder
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab_size, embedding_width, width):
        super().__init__()
        self.join = nn.Linear(2 * width, width, bias=False)
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=0)
        self.rnn = nn.GRU(embedding_width, width, batch_first=True)

    def forward(self, ids, state, states, allowed):
        _, state = self.rnn(self.embedding(ids).unsqueeze(1), state)
        context, _ = Attend()(state[-1], (states, states, allowed))
        return torch.tanh(self.join(torch.cat((context, state[-1]), 1))), state


class Translator(nn.Module):
    def __init__(self, source_words, target_words, embedding_width, width):
        super().__init__()
        self.encoder = Encoder(source_words, embedding_width, width)
        self.decoder = Decoder(target_words, embedding_width, width)
        self.generator = nn.Linear(width, target_words)

    def forward(self, source, source_lengths, target_in):
        read = self.encoder(source, source_lengths)
        state, logits = read.final, []
        for t in range(target_in.shape[1]):
            output, state = self.decoder(target_in[:, t], state, read.states,
                                         read.allowed)
            logits.append(self.generator(output)[:, None])
        return torch.cat(logits, dim=1)
