import torch
from softdict.vocab import BOS, EOS


from softdict.batches import padded


def decoder_rows(sentences):
    said = padded([sentence + [EOS] for sentence in sentences])
    read = padded([[BOS] + sentence for sentence in sentences])
    return torch.stack([read, said]).unbind()
