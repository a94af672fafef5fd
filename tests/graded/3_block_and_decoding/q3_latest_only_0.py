"""Only the newest earlier place counts."""


def no_repeat(words, logits, n):
    out = logits.clone()
    tail = tuple(words[len(words) - (n - 1):])
    for start in reversed(range(len(words) - (n - 1))):
        if tuple(words[start:start + n - 1]) == tail:
            out[words[start + n - 1]] = float("-inf")
            break
    return out
