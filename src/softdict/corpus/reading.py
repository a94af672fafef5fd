"""What Korean morphemes mean, for a reader who knows no Korean, also where a model wrote them."""

from collections import Counter, defaultdict
from functools import cache

from softdict.corpus.splits import split


@cache
def meanings():
    """Gloss of each morpheme, and of each morpheme behind another: the most frequent one of the training split."""
    counts = defaultdict(Counter)
    for pair in split("train"):
        before = ""
        for token in pair.target:
            counts[token.form][token.gloss] += 1
            counts[before, token.form][token.gloss] += 1
            before = token.form
    return {key: glosses.most_common(1)[0][0] for key, glosses in counts.items()}


def gloss(morphemes):
    """The meaning of each morpheme of a sentence, as it is behind the one before; one never seen stands for itself."""
    table = meanings()
    return [table.get((before, form)) or table.get(form, form) for before, form in zip(["", *morphemes], morphemes)]
