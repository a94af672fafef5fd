"""Two recurrent networks that translate: one reads the source, the other writes the target.

All that passes between them is what `context` hands over: here one vector, the encoder's last state.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from softdict.masks import padding_mask
from softdict.vocab import PAD


@dataclass(frozen=True)
class Encoded:
    """A source, read: a state for each word [B, S, D], the last state of each layer, and where words stand [B, S]."""

    states: torch.Tensor
    final: torch.Tensor | tuple
    allowed: torch.Tensor


def both_directions(final):
    """The last states of the two directions of each layer, side by side.

    final [2*L, B, K]; returns states [L, B, 2*K]
    """
    return torch.cat([final[0::2], final[1::2]], dim=-1)    # torch's order: forward, backward, next layer


def top_state(state):
    """What the top layer of an RNN last put out [B, D]: its hidden state, which an LSTM keeps beside its cell."""
    hidden = state[0] if isinstance(state, tuple) else state    # [L, B, D]
    return hidden[-1]                                           # [B, D]


def last_state(query, encoded):
    """The same context for every query: the encoder's last state."""
    return top_state(encoded.final)    # [B, D]


class Encoder(nn.Module):
    """Reads a sentence in both directions; half of the width is for each."""

    def __init__(self, vocabulary, embedding=96, width=192, layers=1, cell=nn.GRU):
        super().__init__()
        if width % 2:
            raise ValueError(f"two directions share the width, so it must be even; got {width}")
        self.embed = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.rnn = cell(embedding, width // 2, layers, batch_first=True, bidirectional=True)

    def forward(self, source, lengths):
        """source [B, S], lengths [B] on the CPU; returns what the decoder may use."""
        # packed, each direction begins and ends on a word and never reads a pad
        packed = pack_padded_sequence(self.embed(source), lengths, batch_first=True, enforce_sorted=False)
        states, final = self.rnn(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])    # [B, S, D], [B]
        allowed = padding_mask(lengths, source.shape[1]).to(source.device)                         # [B, S]
        final = tuple(map(both_directions, final)) if isinstance(final, tuple) else both_directions(final)
        return Encoded(states, final, allowed)


class Decoder(nn.Module):
    """Writes a sentence; at each step it reads the word before and a context."""

    def __init__(self, vocabulary, embedding=96, width=192, layers=1, cell=nn.GRU, context=last_state):
        super().__init__()
        self.context = context    # a function: context(query, encoded) gives [B, D] at each step
        self.embed = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.rnn = cell(embedding + width, width, layers, batch_first=True)

    def forward(self, words, state, encoded):
        """One step: words [B]; returns output [B, D] and the state after it."""
        context = self.context(top_state(state), encoded)           # [B, D]
        inputs = torch.cat([self.embed(words), context], dim=-1)    # [B, E+D]
        output, state = self.rnn(inputs[:, None], state)
        return output[:, 0], state


class Seq2Seq(nn.Module):
    """Encoder, decoder, and a generator that scores every word of the target language."""

    def __init__(self, encoder, decoder):
        super().__init__()
        reads, writes = encoder.rnn, decoder.rnn
        handed = 2 * reads.hidden_size, reads.num_layers, reads.mode
        if handed != (writes.hidden_size, writes.num_layers, writes.mode):
            raise ValueError("encoder and decoder must have the same width, the same cell and as many layers")
        self.encoder, self.decoder = encoder, decoder
        self.generator = nn.Linear(writes.hidden_size, decoder.embed.num_embeddings)

    def start(self, source, source_lengths):
        """What `step` needs before the first word; source [B, S], source_lengths [B]."""
        encoded = self.encoder(source, source_lengths)
        return encoded.final, encoded

    def step(self, words, state):
        """Scores of the next word, after words [B]; returns logits [B, V] and the new state."""
        output, hidden = self.decoder(words, *state)
        return self.generator(output), (hidden, state[1])

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        """Scores of every target word; source [B, S], source_lengths [B], target_in [B, T]; returns logits [B, T, V].

        teacher_forcing is the share of steps that read the target; the others read the model's own last word
        """
        hidden, encoded = self.start(source, source_lengths)
        told = (torch.rand(target_in.shape[1], device="cpu") < teacher_forcing).tolist()
        outputs = []
        for t in range(target_in.shape[1]):
            words = target_in[:, t] if t == 0 or told[t] else self.generator(outputs[-1]).argmax(dim=-1)    # [B]
            output, hidden = self.decoder(words, hidden, encoded)
            outputs.append(output)
        return self.generator(torch.stack(outputs, dim=1))    # [B, T, V]: all steps in one product
