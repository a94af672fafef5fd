"""Compares n words, where n - 1 are written."""


def no_repeat(words, logits, n):
    out = logits.clone()
    tail = words[-n:]
    for start in range(len(words) - n):
        if words[start:start + n] == tail:
            out[words[start + n]] = float("-inf")
    return out
