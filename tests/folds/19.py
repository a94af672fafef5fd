"""Chapter 19: the code of *In short* against one merge at a time, and against Pieces.

It has no gradients: the merges, their order and both cuts must be equal.
"""

from collections import Counter

from softdict.subwords import SubwordTokenizer


def compare(names):
    words = {tuple(word): 1 for word in names["text"].split()}
    merges = []
    for _ in range(6):
        counts = Counter(pair for word in words for pair in zip(word, word[1:]))
        merges.append(min(counts, key=lambda pair: (-counts[pair], pair)))
        words = {joined(word, merges[-1]): 1 for word in words}
    assert [tuple(best.split()) for best, _ in names["merges"]] == merges
    known, new = names["value"]
    assert known == [piece for word in words for piece in word]
    # the package's blank in front of a word is a blank
    merges = [tuple(part.replace("_", " ") for part in pair) for pair in merges]
    letters = sorted({letter for word in names["text"] for letter in word} - {"_"})
    table = SubwordTokenizer([*letters, *map("".join, merges)], merges)
    assert [part.replace("_", " ") for part in new] == table.tokenize("snowfoot")


def joined(word, pair):
    """The pieces of a word with a pair of neighbours as one piece."""
    row = []
    for piece in word:
        if row and (row[-1], piece) == pair:
            row[-1] += piece
        else:
            row.append(piece)
    return tuple(row)
