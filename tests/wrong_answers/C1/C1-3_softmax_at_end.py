import torch
from softdict.seq2seq import Encoder
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
        outputs, state = self.rnn(self.embedding(ids)[:, None], state)
        query = outputs[:, 0]
        context, _ = attend(query, states, allowed)
        return self.join(torch.cat([context, query], dim=-1)).tanh(), state


class Translator(nn.Module):
    """forward(source, source_lengths, target_in) gives logits [B, T, V]."""

    def __init__(self, source_words, target_words, embedding_width, width):
        super().__init__()
        self.encoder = Encoder(source_words, embedding_width, width)
        self.decoder = Decoder(target_words, embedding_width, width)
        self.generator = nn.Linear(width, target_words)

    def forward(self, source, source_lengths, target_in):
        memory = self.encoder(source, source_lengths)
        state = memory.final
        steps = []
        for t in range(target_in.size(1)):
            output, state = self.decoder(target_in[:, t], state, memory.states,
                                         memory.allowed)
            steps.append(torch.log_softmax(self.generator(output), dim=-1))
        return torch.stack(steps, dim=1)
