import torch
from softdict.seq2seq import Encoder
from torch import nn


def attend(query, states, allowed):
    scores = (states @ query[:, :, None]).squeeze(-1).masked_fill(~allowed, -torch.inf)
    weights = scores.softmax(dim=-1)
    return (weights[:, None] @ states)[:, 0], weights


class Decoder(nn.Module):
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
        return self.join(both).tanh(), state


class Translator(nn.Module):
    """forward(source, source_lengths, target_in) gives logits [B, T, V]."""

    def __init__(self, source_words, target_words, embedding_width, width):
        super().__init__()
        self.encoder = Encoder(source_words, embedding_width, width)
        self.decoder = Decoder(target_words, embedding_width, width)
        self.generator = nn.Linear(width, target_words)

    def forward(self, source, source_lengths, target_in):
        read = self.encoder(source, source_lengths)
        state, outputs = read.final, []
        for ids in target_in.unbind(dim=1):
            output, state = self.decoder(ids, state, read.states, read.allowed)
            outputs.append(output)
        return self.generator(torch.stack(outputs, dim=1)).softmax(-1)    # [B, T, V]
