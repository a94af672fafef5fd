"""Writes each word for a trial, and looks for the group of n."""


def no_repeat(words, logits, n):
    out = logits.clone()
    groups = {tuple(words[i:i + n]) for i in range(len(words) - n + 1)}
    for word in range(len(logits)):
        longer = [*words, word]
        if len(longer) >= n and tuple(longer[len(longer) - n:]) in groups:
            out[word] = float("-inf")
    return out
