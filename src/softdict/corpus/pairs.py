"""A sentence pair: tokens of both languages with their heads, and the gold links
between them."""

from dataclasses import dataclass
from typing import NamedTuple

from softdict.corpus.english import english
from softdict.corpus.korean import korean
from softdict.corpus.links import gold_links
from softdict.corpus.morphology import join
from softdict.corpus.trees import walk


class Token(NamedTuple):
    """One token: its form, the tree node it comes from, and how it hangs on the token
    `head` (-1 for the root)."""

    form: str
    node: int
    role: str
    lemma: str
    gloss: str
    pos: str
    head: int
    relation: str


@dataclass(frozen=True)
class Pair:
    """An English sentence with its Korean; source[0] is the register tag, which
    `length` does not count."""

    source: tuple
    target: tuple
    sure: tuple    # links (source place, target place): content word to content word
    # every acceptable link: all of `sure`, and function words with what they belong to
    possible: tuple
    kind: str
    depth: int
    register: str
    spot: int = -1    # in the split "agree": the target place that decides

    @property
    def length(self):
        return len(self.source) - 1

    @property
    def words(self):
        """English forms, tag first."""
        return [token.form for token in self.source]

    @property
    def morphemes(self):
        """Korean forms; a hyphen in front joins leftwards."""
        return [token.form for token in self.target]

    @property
    def english(self):
        """The English for people: no tag, a capital, a full stop."""
        return english_text(self.words[1:])

    @property
    def korean(self):
        """The Korean for people: morphemes run together, a full stop."""
        return join(self.morphemes) + "."

    @property
    def pharaoh(self):
        """Links as text, source first: 4-0 is sure, 4:1 only possible."""
        return " ".join(f"{i}-{j}" if (i, j) in self.sure else f"{i}:{j}"
                        for i, j in self.possible)


def english_text(words):
    """English words as a written sentence."""
    text = " ".join(words).replace(" ,", ",")
    return text[:1].upper() + text[1:] + "."


def key(sentence):
    """What makes two sentences the same for a split: the English words, without the
    register."""
    return " ".join(row[0] for row in english(sentence))


def pair(sentence, spot=-1):
    """The sentence pair of a derivation tree."""
    tree = walk(sentence)
    above = {node: (parent, relation) for node, parent, relation, _ in tree}
    left = [(f"<{sentence.register}>", sentence, "register", sentence.register, "X"),
            *english(sentence)]
    left = [(*row, row[3]) for row in left]    # an English word is its own gloss
    right = korean(sentence)
    numbers = {}
    for row in left + right:
        numbers.setdefault(row[1], len(numbers))
    sure, possible = gold_links(left, right, above)
    return Pair(tokens(left, above, numbers), tokens(right, above, numbers), sure,
                possible, sentence.kind,
                max(level for *_, level in tree), sentence.register, spot)


def tokens(rows, above, numbers):
    """Rows as tokens with heads: a head word hangs on its parent's head word, a
    function word on its node's own."""
    place = {row[1]: i for i, row in enumerate(rows) if row[2] == "head"}
    root = next(i for node, i in place.items() if above[node][0] is None)
    made = []
    for form, node, role, lemma, pos, gloss in rows:
        if role == "register":
            head, relation = root, role
        elif role == "head":
            parent, relation = above[node]
            head = -1 if parent is None else place[parent]
        else:
            head, relation = place[node], role
        made.append(Token(form, numbers[node], role, lemma, gloss, pos, head, relation))
    return tuple(made)
