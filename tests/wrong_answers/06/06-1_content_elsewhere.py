from collections import Counter


def content_found(hypothesis, reference, content):
    both = Counter(reference) & Counter(hypothesis)
    wanted = [word for word, flag in zip(reference, content) if flag]
    found = sum(both[word] for word in set(wanted))
    return found, len(wanted)
