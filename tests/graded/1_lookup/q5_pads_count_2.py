"""The columns behind the sentence count, too."""

import torch


def copy_unknown(written, source, weights):
    out = list(written)
    for t, word in enumerate(written):
        if word == "<unk>":
            out[t] = source[torch.argmax(weights[t][1:]).item() + 1]
    return out
