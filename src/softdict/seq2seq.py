"""Two recurrent networks that translate: an encoder reads, a decoder writes.

First the plain pair: all that passes between them is one vector, the encoder's last
state. Then decoders with attention follow, and what is done to a model from outside.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from softdict.attention import attention
from softdict.batches import pads_behind
from softdict.lookup import dot
from softdict.masks import padding_mask
from softdict.vocab import PAD


@dataclass(frozen=True)
class Encoded:
    """The result of reading a source: the states of an encoder.

    states [B, S, D] are those of the words; final holds the last state of each layer
    allowed [B, S] is True where there are words
    """

    states: torch.Tensor
    final: torch.Tensor | tuple
    allowed: torch.Tensor


def both_directions(final):
    """The last states of the two directions of each layer, side by side.

    final [2*L, B, K]; returns states [L, B, 2*K]
    """
    # torch's order: forward, backward, next layer
    return torch.cat([final[0::2], final[1::2]], dim=-1)    # [L, B, 2*K]


def top_state(state):
    """The last output of the top layer of an RNN [B, D]: its hidden state.

    an LSTM keeps it beside its cell
    """
    hidden = state[0] if isinstance(state, tuple) else state    # [L, B, D]
    return hidden[-1]                                           # [B, D]


class Encoder(nn.Module):
    """A bidirectional RNN that reads a sentence; half of the width is for each way.

    embeddings of `vocab_size` words are `embedding_width` wide
    cell is nn.RNN, nn.GRU or nn.LSTM, in `layers` layers
    raises ValueError for an odd width
    """

    def __init__(self, vocab_size, embedding_width=96, width=192, layers=1,
                 cell=nn.GRU):
        super().__init__()
        if width % 2:
            raise ValueError("two directions share the width, so it must be even; "
                             f"got {width}")
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=PAD)
        self.rnn = cell(embedding_width, width // 2, layers, batch_first=True,
                        bidirectional=True)

    def forward(self, source, lengths):
        """source [B, S], lengths [B] on the CPU; returns what the decoder may use."""
        size, embedded = source.shape[1], self.embedding(source)
        # in a packed batch, each direction begins and ends at a word and reads no pad
        packed = pack_padded_sequence(embedded, lengths, batch_first=True,
                                      enforce_sorted=False)
        states, final = self.rnn(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=size)
        if isinstance(final, tuple):
            final = tuple(map(both_directions, final))
        else:
            final = both_directions(final)
        allowed = padding_mask(lengths, size).to(source.device)    # [B, S]
        return Encoded(states, final, allowed)


class Decoder(nn.Module):
    """An RNN that writes: at each step it reads the previous word and the context.

    the context is one vector for all steps: the encoder's last state
    arguments as for `Encoder`; width, cell and layers must be those of the encoder
    Cho et al. 2014, section 2.2
    """

    def __init__(self, vocab_size, embedding_width=96, width=192, layers=1,
                 cell=nn.GRU):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=PAD)
        self.rnn = cell(embedding_width + width, width, layers, batch_first=True)

    def start(self, encoded):
        """The state before the first word, and the context [B, D]."""
        return encoded.final, top_state(encoded.final)

    def forward(self, ids, state, context):
        """One step: ids [B], context [B, D]; output [B, D] and state."""
        inputs = torch.cat([self.embedding(ids), context], dim=-1)    # [B, E+D]
        outputs, state = self.rnn(inputs[:, None], state)
        return outputs[:, 0], state


class Seq2Seq(nn.Module):
    """Encoder, decoder, and a generator that scores every word of the target language.

    raises ValueError for a decoder that cannot begin with the encoder's state
    Sutskever et al. 2014; Cho et al. 2014
    """

    def __init__(self, encoder, decoder):
        super().__init__()
        reads, writes = encoder.rnn, decoder.rnn
        handed = 2 * reads.hidden_size, reads.num_layers, reads.mode
        if handed != (writes.hidden_size, writes.num_layers, writes.mode):
            raise ValueError("encoder and decoder must have the same width, "
                             "the same cell and the same number of layers")
        self.encoder, self.decoder = encoder, decoder
        self.generator = nn.Linear(writes.hidden_size, decoder.embedding.num_embeddings)

    def start(self, source, source_lengths):
        """What `step` needs before the first word: a state and a context.

        source [B, S], source_lengths [B]; pads may stand after a sentence or before it
        """
        return self.decoder.start(self.encoder(pads_behind(source), source_lengths))

    def step(self, ids, state):
        """Scores of the next word, after ids [B]; returns logits [B, V] and a state."""
        state, context = state
        output, state = self.decoder(ids, state, context)
        return self.generator(output), (state, context)

    def states(self, source, source_lengths, target_in):
        """What the generator scores, if the right words are read (teacher forcing).

        source [B, S], source_lengths [B], target_in [B, T]; returns states [B, T, D]
        """
        state, context = self.start(source, source_lengths)
        outputs = []
        for ids in target_in.unbind(dim=1):
            output, state = self.decoder(ids, state, context)
            outputs.append(output)
        return torch.stack(outputs, dim=1)    # [B, T, D]

    def forward(self, source, source_lengths, target_in):
        """Scores of every target word, from `states`; returns logits [B, T, V]."""
        return self.generator(self.states(source, source_lengths, target_in))

    def reorder(self, state, chosen):
        """The rows `chosen` [N] of a state, in this order: one for each translation."""
        state, context = state
        # torch's RNNs keep their layers on the first axis, the sentences on the second
        return select_rows(state, chosen, 1), select_rows(context, chosen, 0)


def select_rows(part, chosen, axis):
    """The rows `chosen` [N] along an axis of a tensor, or of each tensor of a tuple."""
    if isinstance(part, tuple):
        return tuple(select_rows(piece, chosen, axis) for piece in part)
    return part.index_select(axis, chosen)


# Attention: a context of its own for every word


class Attend(nn.Module):
    """A context for each query: attention to the encoder's states, pads hidden.

    score(query, key) is a function or a module
    key_layer is a module that makes the keys of the states; None: they are the keys
    """

    def __init__(self, score=dot, key_layer=None):
        super().__init__()
        self.score, self.key_layer = score, key_layer or nn.Identity()

    def start(self, encoded):
        """Key, value and mask of a source: made once, used at every step."""
        return self.key_layer(encoded.states), encoded.states, encoded.allowed

    def forward(self, query, source):
        """query [B, Q], source from `start`; returns context [B, D], weights [B, S]."""
        key, value, allowed = source
        context, weights = attention(query[:, None], key, value, allowed[:, None],
                                     self.score)    # [B, 1, D], [B, 1, S]
        return context[:, 0], weights[:, 0]         # [B, D], [B, S]

    def extra_repr(self):
        """What a saved model is known by, where the score is a function."""
        return getattr(self.score, "__name__", "")


class LastState(nn.Module):
    """The control: a context that is the encoder's last state, for every query."""

    def start(self, encoded):
        """The encoder's last state [B, D]."""
        return top_state(encoded.final)

    def forward(self, query, source):
        """query [B, Q], source [B, D]; returns context [B, D] and no weights."""
        return source, None


class BahdanauDecoder(nn.Module):
    """Asks with the previous state, then reads the previous word and the context.

    embeddings of `vocab_size` words are `embedding_width` wide; states, contexts and
    outputs are `width` wide; cell and layers are as in `Encoder`
    context is Attend or LastState; with LastState it computes the same as Decoder
    Bahdanau et al. 2015, section 3.1
    """

    def __init__(self, vocab_size, embedding_width=96, width=192, layers=1,
                 cell=nn.GRU, context=None):
        super().__init__()
        self.context = context or Attend()
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=PAD)
        self.rnn = cell(embedding_width + width, width, layers, batch_first=True)

    def start(self, encoded):
        """The state before the first word, and what the context needs of the source."""
        return encoded.final, self.context.start(encoded)

    def forward(self, ids, state, source):
        """One step: ids [B]; returns output [B, D] and the state after it."""
        query = top_state(state)                          # [B, D]
        context, _ = self.context(query, source)
        word = self.embedding(ids)                        # [B, E]
        inputs = torch.cat([word, context], dim=-1)       # [B, E+D]
        outputs, state = self.rnn(inputs[:, None], state)
        return outputs[:, 0], state


class LuongDecoder(nn.Module):
    """Reads the previous word, asks with the new state, then joins state and context.

    embeddings of `vocab_size` words are `embedding_width` wide; states, contexts and
    outputs are `width` wide; cell and layers are as in `Encoder`
    context is Attend, or LastState as a control
    with feed=True it reads its last output beside the word: input feeding
    Luong et al. 2015, sections 3 and 3.3
    """

    def __init__(self, vocab_size, embedding_width=96, width=192, layers=1,
                 cell=nn.GRU, context=None, feed=True):
        super().__init__()
        self.context, self.feed = context or Attend(), feed
        self.embedding = nn.Embedding(vocab_size, embedding_width, padding_idx=PAD)
        self.rnn = cell(embedding_width + feed * width, width, layers, batch_first=True)
        self.join = nn.Linear(2 * width, width, bias=False)

    def start(self, encoded):
        """The state before the first word, and what the context needs of the source.

        a state is that of the RNN and the last output [1, B, D]: zeros at first
        """
        fed = torch.zeros_like(top_state(encoded.final))[None]
        return (encoded.final, fed), self.context.start(encoded)

    def forward(self, ids, state, source):
        """One step: ids [B]; returns output [B, D] and the state after it."""
        state, fed = state
        inputs = self.embedding(ids)
        if self.feed:
            inputs = torch.cat([inputs, fed[0]], dim=-1)
        outputs, state = self.rnn(inputs[:, None], state)
        query = outputs[:, 0]                             # [B, D]
        context, _ = self.context(query, source)
        both = torch.cat([context, query], dim=-1)        # [B, 2*D]
        output = self.join(both).tanh()                   # [B, D]
        return output, (state, output[None])


# From outside


def source_weights(model, source, source_lengths, target_in):
    """The weights of each step of a decoder with attention that reads the right words.

    source [B, S], source_lengths [B], target_in [B, T]
    returns weights [B, T, S]; row t is for the word that step t writes
    raises ValueError for a model whose decoder has no weights
    """
    rows, context = [], getattr(model.decoder, "context", LastState())
    handle = context.register_forward_hook(
        lambda layer, inputs, found: rows.append(found[1]))
    try:
        model.states(source, source_lengths, target_in)
    finally:
        handle.remove()
    if not rows or rows[0] is None:
        raise ValueError("this model's decoder does not attend: there are no weights")
    return torch.stack(rows, dim=1)    # [B, T, S]


def mixed_states(model, source, source_lengths, target_in, teacher_forcing):
    """`states` of a Seq2Seq that at some steps reads the last word that it wrote.

    at the other steps it reads the right word, from target_in [B, T]
    teacher_forcing is the share of steps that read the right word
    returns states [B, T, D]
    """
    state, context = model.start(source, source_lengths)
    told = (torch.rand(target_in.shape[1], device="cpu") < teacher_forcing).tolist()
    outputs = []
    for t, ids in enumerate(target_in.unbind(dim=1)):
        if outputs and not told[t]:
            ids = model.generator(outputs[-1]).argmax(dim=-1)    # [B]
        output, state = model.decoder(ids, state, context)
        outputs.append(output)
    return torch.stack(outputs, dim=1)    # [B, T, D]


class ScheduledSampling(Seq2Seq):
    """A Seq2Seq that at some steps of training reads the last word that it wrote.

    teacher_forcing is the share of steps that read the right word
    Bengio et al. 2015, section 2.4
    """

    def __init__(self, encoder, decoder, teacher_forcing):
        super().__init__(encoder, decoder)
        self.teacher_forcing = teacher_forcing

    def states(self, source, source_lengths, target_in):
        """As `mixed_states`: source [B, S], target_in [B, T]; states [B, T, D]."""
        told = self.teacher_forcing if self.training else 1.0
        return mixed_states(self, source, source_lengths, target_in, told)
