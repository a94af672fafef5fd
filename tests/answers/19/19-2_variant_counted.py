from collections import Counter
from fractions import Fraction

from softdict.texts.real_text import folded as fold

def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    asked = Counter(fold(source) for source, _ in test)
    seen = asked.keys() & {fold(source) for source, _ in training}
    return Fraction(sum(asked[source] for source in seen), asked.total())
