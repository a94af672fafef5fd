"""Two recurrent networks that translate: one reads the source, the other writes the target.

All that passes between them is what `context` hands over: one vector, the encoder's last state, or what a lookup
among all its states finds.
"""

from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from softdict.attention import attention
from softdict.lookup import dot
from softdict.masks import padding_mask
from softdict.vocab import PAD


@dataclass(frozen=True)
class Encoded:
    """A source, read: a state for each word [B, S, D], the last state of each layer, and where words stand [B, S]."""

    states: torch.Tensor
    final: torch.Tensor | tuple
    allowed: torch.Tensor
    keys: torch.Tensor | None = None    # what `Attend` makes of the states, once


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
    """The same context for every query: the encoder's last state, and no weights."""
    return top_state(encoded.final), None


def prepared(context, encoded):
    """The source as a context wants it: what it needs once, and not once a word, is made here."""
    return context.prepare(encoded) if hasattr(context, "prepare") else encoded


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


class Attend(nn.Module):
    """A context for each query: a lookup among the encoder's states, pads hidden.

    score(query, key) is a function or a module
    keys is a module that makes the keys of the states; None: the states are the keys
    """

    def __init__(self, score=dot, keys=None):
        super().__init__()
        self.score, self.keys = score, keys or nn.Identity()

    def prepare(self, encoded):
        """The source with its keys: made once, asked at every step."""
        return replace(encoded, keys=self.keys(encoded.states))

    def forward(self, query, encoded):
        """query [B, Q]; returns context [B, D], weights [B, S]; `prepare` made encoded."""
        context, weights = attention(
            query[:, None], encoded.keys, encoded.states,
            encoded.allowed[:, None], self.score)    # [B, 1, D], [B, 1, S]
        return context[:, 0], weights[:, 0]          # [B, D], [B, S]


class Decoder(nn.Module):
    """Writes a sentence; at each step it reads the word before and a context."""

    def __init__(self, vocabulary, embedding=96, width=192, layers=1, cell=nn.GRU, context=last_state):
        super().__init__()
        self.context = context    # a function: context(query, encoded) gives [B, D] and weights, [B, S] or None
        self.embed = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.rnn = cell(embedding + width, width, layers, batch_first=True)

    def start(self, encoded):
        """The state before the first word."""
        return encoded.final

    def forward(self, words, state, encoded):
        """One step: words [B]; returns output [B, D], the state after it, weights."""
        context, weights = self.context(top_state(state), encoded)
        inputs = torch.cat([self.embed(words), context], dim=-1)    # [B, E+D]
        output, state = self.rnn(inputs[:, None], state)
        return output[:, 0], state, weights


class LuongDecoder(nn.Module):
    """Writes a sentence; at each step it reads the word before, then asks, then joins.

    The query is the new state; what it joins to the context is that state.
    With feed=True it reads its last output beside the word: input feeding.
    Luong et al. 2015, sections 3 and 3.3
    """

    def __init__(self, vocabulary, embedding=96, width=192, layers=1, cell=nn.GRU,
                 context=last_state, feed=True):
        super().__init__()
        self.context, self.feed = context, feed
        self.embed = nn.Embedding(vocabulary, embedding, padding_idx=PAD)
        self.rnn = cell(embedding + feed * width, width, layers, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def start(self, encoded):
        """The state before the first word, and zeros: there is no output yet."""
        return encoded.final, torch.zeros_like(top_state(encoded.final))

    def forward(self, words, state, encoded):
        """One step: words [B]; returns output [B, D], the state after it, weights."""
        state, fed = state
        inputs = self.embed(words)
        if self.feed:
            inputs = torch.cat([inputs, fed], dim=-1)
        outputs, state = self.rnn(inputs[:, None], state)
        query = outputs[:, 0]                                # [B, D]
        context, weights = self.context(query, encoded)
        both = torch.cat([context, query], dim=-1)           # [B, 2*D]
        output = self.join(both).tanh()                      # [B, D]
        return output, (state, output), weights


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
        encoded = prepared(self.decoder.context, self.encoder(source, source_lengths))
        return self.decoder.start(encoded), encoded

    def step(self, words, state):
        """Scores of the next word, after words [B]; returns logits [B, V] and the new state."""
        output, hidden, _ = self.decoder(words, *state)
        return self.generator(output), (hidden, state[1])

    def rows(self, state, chosen):
        """The translations `chosen` [N] among those of a state, in that order."""
        return state_rows(state, chosen)

    def states(self, source, source_lengths, target_in, teacher_forcing=1.0):
        """What the generator scores; source [B, S], source_lengths [B], target_in [B, T]; returns states [B, T, D].

        teacher_forcing is the share of steps that read the target; the others read the model's own last word
        """
        hidden, encoded = self.start(source, source_lengths)
        told = (torch.rand(target_in.shape[1], device="cpu") < teacher_forcing).tolist()
        outputs = []
        for t in range(target_in.shape[1]):
            words = target_in[:, t] if t == 0 or told[t] else self.generator(outputs[-1]).argmax(dim=-1)    # [B]
            output, hidden, _ = self.decoder(words, hidden, encoded)
            outputs.append(output)
        return torch.stack(outputs, dim=1)    # [B, T, D]

    def forward(self, source, source_lengths, target_in, teacher_forcing=1.0):
        """Scores of every target word, as `states`; returns logits [B, T, V], all steps in one product."""
        return self.generator(self.states(source, source_lengths, target_in, teacher_forcing))


def state_rows(state, chosen):
    """What an RNN's `step` needs, for the translations `chosen` [N] among those that it holds, in that order."""
    if isinstance(state, tuple):
        return tuple(state_rows(part, chosen) for part in state)
    if isinstance(state, Encoded):
        keys = None if state.keys is None else state.keys[chosen]
        return Encoded(state.states[chosen], state_rows(state.final, chosen), state.allowed[chosen], keys)
    # memories have a sheet for each layer in front; an output that is fed has none
    return state[:, chosen] if state.dim() == 3 else state[chosen]


def source_weights(model, source, source_lengths, target_in):
    """Where each step looks if it reads the right words.

    source [B, S], source_lengths [B], target_in [B, T]
    returns weights [B, T, S]; row t is for the word that step t writes
    """
    hidden, encoded = model.start(source, source_lengths)
    rows = []
    for words in target_in.unbind(dim=1):
        _, hidden, weights = model.decoder(words, hidden, encoded)
        if weights is None:
            raise ValueError("this decoder's context gives no weights: "
                             "there is nothing to look at")
        rows.append(weights)
    return torch.stack(rows, dim=1)    # [B, T, S]
