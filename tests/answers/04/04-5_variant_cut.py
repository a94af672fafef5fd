import torch
from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    words, state = [BOS], start
    for _ in range(max_length):
        scores, state = step(words[-1], state)
        words.append(torch.tensor(scores).argmax().item())
    words = words[1:]
    return words[:words.index(EOS)] if EOS in words else words
