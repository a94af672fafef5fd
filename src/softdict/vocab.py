"""Words to numbers and back. The four special words stand here and nowhere else."""

import hashlib
from collections import Counter

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ["<pad>", "<unk>", "<bos>", "<eos>"]


class Vocab:
    """The words of a language, numbered: four specials first, then the words of the
    sentences, frequent ones first.

    words that stand there less than min_count times are left out: they become UNK
    """

    def __init__(self, sentences, min_count=1):
        counts = Counter(word for sentence in sentences for word in sentence)
        common = sorted(counts, key=lambda word: (-counts[word], word))
        self._number(word for word in common
                     if counts[word] >= min_count and word not in SPECIALS)

    @classmethod
    def of(cls, words):
        """The vocabulary with these words after the specials, in their order.

        raises ValueError if a word stands there twice
        """
        vocab = cls([])
        vocab._number(words)
        if len(vocab.numbers) < len(vocab.words):
            raise ValueError("a vocabulary has each word once")
        return vocab

    def _number(self, words):
        self.words = [*SPECIALS, *words]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return word in self.numbers

    def ids(self, tokens, unknown="refuse"):
        """The number of each word; a word never seen is refused by name, or becomes UNK
        with unknown="UNK"."""
        missing = [repr(word)
                   for word in dict.fromkeys(tokens) if word not in self.numbers]
        if missing and unknown == "refuse":
            raise ValueError(f"the vocabulary of {len(self)} words does not know "
                             f"{', '.join(missing)}")
        return [self.numbers.get(word, UNK) for word in tokens]

    def tokens(self, ids):
        """The word of each number."""
        return [self.words[number] for number in ids]

    def fingerprint(self):
        """A short text that two vocabularies share only if they give the same words
        the same numbers."""
        return hashlib.sha256("\n".join(self.words).encode("utf-8")).hexdigest()[:16]
