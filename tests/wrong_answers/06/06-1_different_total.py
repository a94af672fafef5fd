from collections import Counter


def content_found(hypothesis, reference, content):
    wanted = Counter(word for word, flag in zip(reference, content) if flag)
    written = Counter(hypothesis)
    found = sum(min(count, written[word]) for word, count in wanted.items())
    return found, len(wanted)
