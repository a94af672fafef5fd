"""Which position may look at which: True always means "may look"."""

import torch


def padding_mask(lengths, size):
    """True for the words of each sentence, False for the pads behind them.

    lengths [B]; returns allowed [B, S] with S = size
    """
    positions = torch.arange(size, device=lengths.device)    # [S]
    return positions < lengths[:, None]                      # [B, S]
