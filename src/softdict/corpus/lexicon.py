"""The lexicon: the tables of `words` as objects, and what goes with what."""

from dataclasses import dataclass, field
from types import SimpleNamespace

from softdict.corpus import words

BOOST = 5    # how much likelier a predicate is for each kind of thing that it prefers


@dataclass(eq=False)
class Entry:
    """One English word with its Korean; `kinds` says what it is, `rank` how common (0
    is the commonest)."""

    english: str
    korean: tuple
    kinds: frozenset = frozenset()
    rank: int = 0
    notes: tuple = ()


@dataclass(eq=False)
class Noun(Entry):
    plural: str = ""
    preposition: str = ""
    classifier: str = "개"

    @property
    def person(self):
        return "person" in self.kinds

    @property
    def honorific(self):
        return "hon" in self.kinds

    @property
    def countable(self):
        return not self.kinds & {"mass", "name"}


@dataclass(eq=False)
class Predicate(Entry):
    """A verb, or an adjective (then `senses` holds one (Korean, shape, wanted kinds)
    for each kind of noun)."""

    frame: str = "adjective"
    forms: tuple = ()    # base, third person, past, participle, -ing
    extra: tuple = ()    # what follows the verb: for, off
    special: dict = field(default_factory=dict)    # hon, neg, to: suppletive stems
    wants: dict = field(default_factory=dict)    # slot: kinds, "!kind" excludes
    prefers: frozenset = frozenset()
    manners: tuple = ()
    senses: tuple = ()

    def sense(self, noun):
        """Korean and shape of an adjective for a noun; None if the two do not go
        together."""
        return next(((korean, shape) for korean, shape, wanted in self.senses
                     if fits(noun, wanted)), None)


def fits(noun, wanted):
    """True if the noun is of one of the wanted kinds and of none of the excluded
    ones."""
    yes, no = wanted
    return bool(noun.kinds & yes) and not noun.kinds & no


def kinds(text):
    """Wanted and excluded kinds of a list such as "person animal !young"."""
    items = text.split()
    return (frozenset(i for i in items if i[0] != "!"),
            frozenset(i[1:] for i in items if i[0] == "!"))


def rows(table):
    """The lines of a table as lists of cells; empty lines left out."""
    return [[cell.strip() for cell in line.split("|")]
            for line in table.strip().splitlines() if line.strip()]


def parts(korean):
    """The tokens of a Korean entry: 오늘_밤 is two."""
    return tuple(korean.split("_"))


def nouns(table):
    """Entries of a noun table; the English word itself counts as one of the kinds."""
    counters = [item.split() for item in words.CLASSIFIERS.split(", ")]
    found = []
    for rank, (english, korean, *middle, tags) in enumerate(rows(table)):
        word, plural = (english.split() + [english + "s"])[:2]
        tags = frozenset([word, *tags.split()])
        classifier = next((korean for kind, korean in counters if kind in tags), "개")
        found.append(Noun(word, parts(korean), tags, rank, (), plural, middle[0]
                          if middle else "", classifier))
    return found


def adjectives(table):
    found = []
    for rank, (english, senses, use) in enumerate(rows(table)):
        split = [sense.split(":") for sense in senses.split(" ; ")]
        senses = tuple((parts(head.split()[0]), (head.split() + ["plain"])[1],
                        kinds(wanted)) for head, wanted in split)
        found.append(Predicate(english, senses[0][0], rank=rank, notes=(use,),
                               senses=senses))
    return found


def regular_ing(base):
    return ((base[:-1] if base.endswith("e") and not base.endswith("ee") else base)
            + "ing")


def verbs(table, frame):
    found = []
    for rank, (english, korean, subject, *rest) in enumerate(rows(table)):
        forms, extra = (english.split(" +") + [""])[:2]
        base, past, participle, *ing = forms.split()
        third = base + ("es" if base.endswith(("s", "sh", "ch", "go", "x")) else "s")
        third = base[:-1] + "ies" if base.endswith(("ry", "ly", "dy")) else third
        stem, *special = korean.split()
        objects, prefers, manners, notes = (rest if len(rest) == 4
                                            else ("", "", "", rest[0]))
        found.append(Predicate(
            base, parts(stem), rank=rank, notes=tuple(notes.split()), frame=frame,
            forms=(base, third, past, participle, ing[0] if ing else regular_ing(base)),
            extra=tuple(extra.split()),
            special={key: parts(value)
                     for key, value in (item.split(":") for item in special)},
            wants={"subject": kinds(subject), "object": kinds(objects)},
            prefers=frozenset(prefers.split()), manners=tuple(manners.split())))
    return found


def locatives(table):
    """The verb "be" with a place: one entry for each kind of thing and the places where
    it may be."""
    return [Predicate("be", ("있",), rank=2, notes=("state", "goal:in", "at:" + where),
                      frame="locative", forms=("be", "is", "was", "been", "being"),
                      special={"hon": ("계시",), "neg": ("없",)},
                      wants={"subject": kinds(who)}) for who, where in rows(table)]


def pairs(text):
    """Entries of a list such as "often 자주, always 항상"; a third word is a note."""
    items = [item.split() for item in text.split(", ")]
    return [Entry(e, parts(k), rank=r, notes=tuple(notes))
            for r, (e, k, *notes) in enumerate(items)]


def lexicon():
    """All words, by table."""
    names = [Noun(e.english, e.korean,
                  frozenset(["person", "adult", "name", e.english]), e.rank)
             for e in pairs(words.NAMES)]
    return SimpleNamespace(
        nouns=nouns(words.NOUNS), names=names, places=nouns(words.PLACES),
        adjectives=adjectives(words.ADJECTIVES),
        intransitive=verbs(words.INTRANSITIVE, "intransitive"),
        transitive=verbs(words.TRANSITIVE, "transitive"),
        ditransitive=verbs(words.DITRANSITIVE, "ditransitive"),
        saying=verbs(words.SAYING, "saying"), locative=locatives(words.LOCATIVE),
        determiners={name: Entry(name, (korean,)) for name, korean in (
            ("this", "이"), ("that", "그"), ("my", "제"))},
        times=[Entry(e, parts(k), rank=r, notes=tuple(t.split()))
               for r, (e, k, t) in enumerate(rows(words.TIMES))],
        frequencies=pairs(words.FREQUENCIES), manners=pairs(words.MANNERS),
        numerals=pairs(words.NUMERALS))
