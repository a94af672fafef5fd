"""Chapter 06: the code of *In short* against the encoder of softdict.seq2seq.

The package's encoder has two readers. The one that reads backwards gets weights of 0,
so that only the other one says anything of the words.
"""

import torch
from softdict.seq2seq import Encoder

FIRST = 4    # the first id that is a word


def compare(names):
    words, arrow = names["words"].detach(), names["arrow"]
    torch.testing.assert_close(arrow.norm(), torch.tensor(1.0))
    size, width = words.shape
    encoder = Encoder(FIRST + size, width, 2 * width)
    with torch.no_grad():
        for key, weight in encoder.rnn.named_parameters():
            weight.copy_(0 * weight if key.endswith("_reverse")
                         else names["encoder"].get_parameter(key))
        encoder.embedding.weight[FIRST:] = words
    source = torch.arange(FIRST, FIRST + size)[None]    # [B, S]
    last = encoder(source, torch.tensor([size])).final[..., :width]
    torch.testing.assert_close(last.flatten(), names["c"].flatten())
    (last.flatten() @ arrow.flatten()).backward()
    torch.testing.assert_close(encoder.embedding.weight.grad[FIRST:].norm(dim=-1),
                               names["value"])
