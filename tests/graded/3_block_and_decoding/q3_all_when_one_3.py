"""words[-0:] is the whole list."""


def no_repeat(words, logits, n):
    out = logits.clone()
    seen = {}
    for start in range(len(words) - n + 1):
        group = words[start:start + n]
        seen.setdefault(tuple(group[:-1]), []).append(group[-1])
    for word in seen.get(tuple(words[-(n - 1):]), []):
        out[word] = float("-inf")
    return out
