"""Start state of the live script for chapter 10: words whose numbers have names."""

import torch
from softdict.attention import attention

words, T, D, H, K = "the dog bit Mina".split(), 4, 4, 2, 2
# 203 is word 2, number 3
labelled = 100 * torch.arange(T)[:, None] + torch.arange(D)    # [T, D]
attend = attention    # from query, key, value: context and weights
