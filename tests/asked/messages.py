"""The numbers of book/asked/messages.md: each function returns what must stand in the
answer with its anchor."""

import torch
from asking import computed


@computed("probability-tensor-contains-either-inf-nan-or-element-0-when-i-sample-where-"
          "does-it-come-from")
def _():
    largest = torch.finfo(torch.float16).max
    halves = torch.tensor([largest, 2 * largest]).half()
    assert halves.isinf().tolist() == [False, True]
    return f"float16 overflow (above {largest:,.0f})",


@computed("attempting-to-deserialize-object-on-a-cuda-device-but-torch-cuda-is-available-"
          "is-false-how-do-i-load-the-model")
def _():
    return f"names *CUDA device {torch.device('cuda:3').index}*",
