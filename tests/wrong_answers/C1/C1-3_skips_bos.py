from softdict.seq2seq import Encoder
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
        read, state = self.rnn(self.embedding(ids)[:, None], state)
        query = read[:, 0]
        context, _ = attend(query, states, allowed)
        return torch.tanh(self.join(torch.cat([context, query], dim=-1))), state


class Translator(nn.Module):
    """forward(source, source_lengths, target_in) gives logits [B, T, V]."""

    def __init__(self, source_words, target_words, embedding_width, width):
        super().__init__()
        self.encoder = Encoder(source_words, embedding_width, width)
        self.decoder = Decoder(target_words, embedding_width, width)
        self.generator = nn.Linear(width, target_words)

    def forward(self, source, source_lengths, target_in):
        encoded = self.encoder(source, source_lengths)
        state, outputs = encoded.final, []
        for ids in target_in[:, 1:].unbind(dim=1):
            output, state = self.decoder(ids, state, encoded.states, encoded.allowed)
            outputs.append(output)
        return self.generator(torch.stack(outputs, dim=1))
