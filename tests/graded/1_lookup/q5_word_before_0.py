"""Cuts the tag's column off, and forgets to count it again."""

import torch


def copy_unknown(written, source, weights):
    out = list(written)
    for t, word in enumerate(written):
        if word == "<unk>":
            out[t] = source[torch.argmax(weights[t][1:len(source)]).item()]
    return out
