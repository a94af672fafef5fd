"""Words to numbers and back. The four special words stand here and nowhere else."""

import hashlib
from collections import Counter

PAD, UNK, BOS, EOS = range(4)
SPECIALS = ["<pad>", "<unk>", "<bos>", "<eos>"]


class Vocab:
    """The words of a language, numbered: four specials first, then the words of the sentences, frequent ones first."""

    def __init__(self, sentences):
        counts = Counter(word for sentence in sentences for word in sentence)
        common = sorted(counts, key=lambda word: (-counts[word], word))
        self.words = SPECIALS + [word for word in common if word not in SPECIALS]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def __contains__(self, word):
        return word in self.numbers

    def ids(self, tokens, unknown="refuse"):
        """The number of each word; a word never seen is refused by name, or becomes UNK with unknown="UNK"."""
        missing = [repr(word) for word in dict.fromkeys(tokens) if word not in self.numbers]
        if missing and unknown == "refuse":
            raise ValueError(f"the vocabulary of {len(self)} words does not know {', '.join(missing)}")
        return [self.numbers.get(word, UNK) for word in tokens]

    def tokens(self, ids):
        """The word of each number."""
        return [self.words[number] for number in ids]

    def fingerprint(self):
        """A short text that two vocabularies share only if they number the same words alike."""
        return hashlib.sha256("\n".join(self.words).encode("utf-8")).hexdigest()[:16]
