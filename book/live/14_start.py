"""Start state of the live script for chapter 14: the parts of a decoder layer."""

import torch
from softdict.heads import MultiHeadAttention
from softdict.layers import FeedForward
from softdict.masks import causal_mask, padding_mask
from torch import nn

parts = MultiHeadAttention, FeedForward, nn.LayerNorm
masks = causal_mask, padding_mask
torch.manual_seed(0)
