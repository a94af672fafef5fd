"""Which position may look at which: True always means "may look"."""

import torch


def padding_mask(lengths, size):
    """True for the words of each sentence, False for the pads after them.

    lengths [B]; returns allowed [B, S] with S = size
    """
    positions = torch.arange(size, device=lengths.device)    # [S]
    return positions < lengths[:, None]                      # [B, S]


def causal_mask(size, device=None):
    """True where a word looks at itself or back, False where it would see the future.

    returns allowed [T, T] with T = size
    Vaswani et al. 2017, section 3.2.3
    """
    positions = torch.arange(size, device=device)      # [T]
    return positions[None, :] <= positions[:, None]    # [T, T]


def causal_padding_mask(lengths, size):
    """True where both rules allow it: no pad, and nothing later.

    lengths [B]; returns allowed [B, T, T] with T = size
    """
    words = padding_mask(lengths, size)[:, None, :]      # [B, 1, T]
    return words & causal_mask(size, lengths.device)     # [B, T, T]


def hidden_mask(allowed):
    """The same mask for `nn.MultiheadAttention`, where True means "is ignored".

    allowed [..., S]; returns hidden [..., S]
    """
    return ~allowed


def additive_mask(allowed, dtype=torch.float32):
    """The same mask as numbers to add to the scores: 0, or minus infinity for hidden.

    allowed [..., S]; returns numbers [..., S]
    """
    numbers = torch.zeros_like(allowed, dtype=dtype)       # [..., S]
    return numbers.masked_fill(~allowed, float("-inf"))    # [..., S]
