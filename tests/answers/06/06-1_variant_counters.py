from collections import Counter


def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    wanted = Counter(word for word, matters in zip(reference, content) if matters)
    return [(wanted & Counter(hypothesis)).total(), wanted.total()]
