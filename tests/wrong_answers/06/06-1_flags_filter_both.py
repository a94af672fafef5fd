from collections import Counter
from itertools import compress


def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    wanted = Counter(compress(reference, content))
    written = Counter(compress(hypothesis, content))
    return (wanted & written).total(), wanted.total()
