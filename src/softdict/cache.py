"""The KV cache of a decoder: keys and values are computed once and kept."""

import torch


class DecoderCache:
    """A translation under way: keys and values of the source and of the words so far.

    memory and past hold a pair (key, value) for each layer: for cross-attention of the
    source [B, H, S, K], for self-attention of the words so far [N, H, P, K]
    memory_allowed [B, 1, S] is True where the source has words
    N is B, or a multiple of it: the first N / B translations are of the first source
    """

    def __init__(self, memory, memory_allowed, past=None):
        self.memory, self.memory_allowed = memory, memory_allowed
        self.past = past or [(key[:, :, :0], value[:, :, :0]) for key, value in memory]

    @property
    def length(self):
        """How many words are there so far."""
        return self.past[0][0].shape[-2]

    def copy(self):
        """A cache that can grow while this one stays as it is; no number is copied."""
        return DecoderCache(self.memory, self.memory_allowed, list(self.past))

    def append(self, layer, key, value):
        """Puts keys and values of new words behind those of a layer; returns all.

        key and value [N, H, T, K]; returns both for the words so far and the new ones
        """
        keys, values = self.past[layer]
        self.past[layer] = (torch.cat([keys, key], dim=-2),
                            torch.cat([values, value], dim=-2))
        return self.past[layer]

    def reorder(self, chosen):
        """A new cache with the translations `chosen` [M] among the N, in that order.

        a source stays in its place where as many of its own translations are chosen
        as of every other, source by source: as a beam search does. Else it is copied.
        """
        # index_select(0, chosen) is [chosen], in less time
        past = [(key.index_select(0, chosen), value.index_select(0, chosen))
                for key, value in self.past]
        count = len(self.memory_allowed)
        sources = chosen // (len(self.past[0][0]) // count)                     # [M]
        share, rest = divmod(len(chosen), count)
        places = torch.arange(count, device=chosen.device).repeat_interleave(share)
        if not rest and torch.equal(sources, places):
            return DecoderCache(self.memory, self.memory_allowed, past)
        memory = [(key[sources], value[sources]) for key, value in self.memory]
        return DecoderCache(memory, self.memory_allowed[sources], past)
