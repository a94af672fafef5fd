"""Derivation trees: what a sentence means before either language has put it into words.

Both linearisers walk the same tree; a Korean and an English token translate each other
if they come from one node. Nodes are compared by identity, so that two dogs in a
sentence are two nodes.
"""

from dataclasses import dataclass, field

from softdict.corpus.lexicon import Entry, Predicate


@dataclass(eq=False, slots=True)
class Word:
    """A leaf: determiner, numeral, adjective, adverb or time phrase."""

    entry: Entry


@dataclass(eq=False, slots=True)
class NP:
    """A noun with its modifiers; `other` is a second noun phrase joined by "and"."""

    noun: Entry
    article: str = "the"    # the, a, or none (names, and some milk)
    determiner: Word | None = None    # this, that, my: in place of the article
    plural: bool = False
    numeral: Word | None = None
    adjective: Word | None = None
    relative: "Relative | None" = None
    other: "NP | None" = None

    @property
    def definite(self):
        """True if the listener is to know which one: Korean then marks a subject with
        는, else with 가."""
        return (self.article == "the" or self.determiner is not None
                or "name" in self.noun.kinds)

    @property
    def many(self):
        """True if an English verb agrees with it as a plural."""
        return self.plural or self.other is not None


@dataclass(eq=False, slots=True)
class Adjunct:
    """When, where, how or how often: a Word, or for "where" a noun phrase; fronted is
    about English order only."""

    kind: str
    content: Word | NP
    fronted: bool = False


@dataclass(eq=False, slots=True)
class Clause:
    """A predicate with its arguments; the clause node stands for the predicate
    itself."""

    verb: Predicate
    subject: NP
    tense: str = "past"    # past, present, future
    negated: bool = False
    progressive: bool = False
    modal: str = ""    # can, must, want
    shifted: bool = False    # inside "said that": had slept, would sleep
    object: NP | None = None
    recipient: NP | None = None
    # gave a book to the boy, rather than gave the boy a book
    to_recipient: bool = False
    goal: NP | None = None
    complement: "Clause | None" = None
    adjuncts: list = field(default_factory=list)
    gap: str = ""    # in a relative clause: the argument that is the noun outside

    def adjunct(self, kind):
        """The adjunct of a kind, or None."""
        return next((a for a in self.adjuncts if a.kind == kind), None)

    @property
    def arguments(self):
        """(relation, noun phrase) for each argument that is spoken inside this
        clause."""
        found = [("nsubj", self.subject), ("iobj", self.recipient),
                 ("obj", self.object), ("obl", self.goal)]
        hidden = {"subject": "nsubj", "object": "obj"}.get(self.gap)
        return [(relation, phrase) for relation, phrase in found
                if phrase is not None and relation != hidden]

    @property
    def goal_wanted(self):
        """True if the verb asks for a place: went to, arrived at, is in."""
        return any(note.startswith("goal") for note in self.verb.notes)

    @property
    def embeds(self):
        """True if a clause stands inside this one."""
        return self.complement is not None or any(p.relative is not None
                                                  for _, p in self.arguments)


@dataclass(eq=False, slots=True)
class Relative:
    """A clause about a noun: the dog *that chased the cat*."""

    clause: Clause


@dataclass(eq=False, slots=True)
class Subordinate:
    """A clause with because, when, if or although; Korean puts it first, English
    may."""

    conjunction: str
    clause: Clause
    fronted: bool


@dataclass(eq=False, slots=True)
class Coord:
    """A second main clause after "and" or "but"."""

    conjunction: str
    clause: Clause


@dataclass(eq=False, slots=True)
class Sentence:
    """A main clause and at most one more beside it; `kind` names the construction."""

    kind: str
    main: Clause
    beside: Subordinate | Coord | None = None
    register: str = "polite"


def walk(sentence):
    """Every node as (node, parent, relation, level), in tree order; level counts the
    clauses that it stands inside."""
    found = []

    def phrase(node, above, relation, level):
        found.append((node, above, relation, level))
        words = ((node.determiner, "det"), (node.numeral, "nummod"),
                 (node.adjective, "amod"))
        found.extend((word, node, name, level)
                     for word, name in words if word is not None)
        if node.relative is not None:
            clause(node.relative.clause, node, "acl:relcl", level + 1)
        if node.other is not None:
            phrase(node.other, node, "conj", level)

    def clause(node, above, relation, level):
        found.append((node, above, relation, level))
        for name, argument in node.arguments:
            phrase(argument, node, name, level)
        for adjunct in node.adjuncts:
            if isinstance(adjunct.content, NP):
                phrase(adjunct.content, node, "obl", level)
            else:
                found.append((adjunct.content, node, "obl:tmod"
                              if adjunct.kind == "time" else "advmod", level))
        if node.complement is not None:
            clause(node.complement, node, "ccomp", level + 1)

    clause(sentence.main, None, "root", 0)
    if sentence.beside is not None:
        below = isinstance(sentence.beside, Subordinate)
        clause(sentence.beside.clause, sentence.main, "advcl" if below else "conj",
               int(below))
    return found


def depth(sentence):
    """How many clauses stand inside one another: 0 for one clause, 1 for "Mina said
    that the dog slept"."""
    return max(level for _, _, _, level in walk(sentence))


def predications(sentence):
    """Every (relation, predicate, noun) of a sentence: adjective-noun, verb-object and
    subject-verb pairs.

    Pairs across a relative clause count: "the dog that barked" holds (subject, bark,
    dog).
    """
    found = []
    for node, *_ in walk(sentence):
        if isinstance(node, NP) and node.adjective is not None:
            found.append(("adjective", node.adjective.entry, node.noun))
        if isinstance(node, Clause):
            for slot, argument in (("subject", node.subject), ("object", node.object)):
                while argument is not None:
                    found.append((slot, node.verb, argument.noun))
                    if node.verb.frame == "adjective":
                        found.append(("adjective", node.verb, argument.noun))
                    argument = argument.other
    return found
