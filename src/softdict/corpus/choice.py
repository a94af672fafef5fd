"""Which words go together: every draw of a word is from those that fit its place and
are not held out."""

from softdict.corpus.chance import Table
from softdict.corpus.lexicon import BOOST, fits
from softdict.corpus.trees import NP, Word

# nouns that one says "my" of
MINE = frozenset(("pet", "owned", "friend", "teacher", "student", "boss", "neighbor"))


def equal(item):
    """The same preference for every item."""
    return 1


class Choice:
    """Draws words and bare noun phrases from a lexicon.

    held_out(relation, predicate, noun) names pairs that must not occur. Such a pair is
    avoided by drawing another word, never by throwing the sentence away.
    """

    def __init__(self, lexicon, chance, held_out):
        self.lexicon, self.chance, self.held_out, self.tables = (lexicon, chance,
                                                                 held_out, {})
        self.people = lexicon.nouns + lexicon.names
        self.naming = False    # True: prefer names, which are one word long

    def table(self, key, items, allowed, preference, flat=12):
        """The table of allowed items, kept under its key; weights fall with rank, the
        slower the larger `flat` is."""
        if key not in self.tables:
            found = [(item, 6000 * preference(item) // (item.rank + flat))
                     for item in items if allowed(item)]
            self.tables[key] = Table(found)
        return self.tables[key]

    def goes(self, slot, verb, noun):
        """True if the noun can fill the slot of the predicate and the pair is not held
        out."""
        if verb.frame == "adjective":
            return (verb.sense(noun) is not None
                    and not self.held_out("adjective", verb, noun))
        wanted = verb.wants.get(slot)
        return (wanted is not None and fits(noun, wanted)
                and not self.held_out(slot, verb, noun))

    def nouns_for(self, verb, slot):
        pool = self.lexicon.places + self.people
        return self.table((verb, slot), pool, lambda n: self.goes(slot, verb, n),
                          lambda n: 1 + BOOST * len(n.kinds & verb.prefers))

    def verbs_for(self, noun, slot, frames):
        pool = [verb for frame in frames for verb in getattr(self.lexicon, frame)
                # an apple that was eaten is there no more
                if slot == "subject" or "gone" not in verb.notes]
        return self.table((noun, slot, frames), pool,
                          lambda v: self.goes(slot, v, noun),
                          lambda v: 1 + BOOST * len(noun.kinds & v.prefers))

    def adjectives_for(self, noun, lasting=False):
        """Adjectives that may stand before the noun; `lasting` leaves out old, dirty:
        for what is only being made."""
        def allowed(adjective):
            fitting = ("both" in adjective.notes
                       if lasting else "after" not in adjective.notes)
            return fitting and self.goes("adjective", adjective, noun)

        return self.table((noun, "adjective", lasting), self.lexicon.adjectives,
                          allowed,
                          lambda adjective: 1 if "state" in adjective.notes else 2, 60)

    def fresh(self, table, used):
        """A word of the table that the sentence does not have yet, if a few draws find
        one."""
        for _ in range(6):
            word = self.chance.weighted(table)
            if word not in used and not (self.naming and "name" not in word.kinds
                                         and self.chance.happens(0.5)):
                break
        used.append(word)
        return word

    def noun_phrase(self, noun, after_that=False):
        """A bare noun phrase: article or determiner, singular or plural."""
        if "name" in noun.kinds:
            return NP(noun, "none")
        draw = self.chance.below(100)
        if "kin" in noun.kinds:
            plural = not noun.honorific and self.chance.happens(0.1)
            return NP(noun, determiner=self.word("my") if draw < 85 else None,
                      plural=plural)
        if not noun.countable:
            return NP(noun, "the" if draw < 60 else "none")
        plural = self.chance.happens(0.2) and "place" not in noun.kinds
        if draw < 62 or "place" in noun.kinds and draw < 85:
            return NP(noun, plural=plural)
        if draw < 80:
            numeral = (Word(self.chance.weighted(self.list_of("numerals")))
                       if plural else None)
            return NP(noun, "none" if plural else "a", plural=plural, numeral=numeral)
        which = ("this" if draw < 87 or after_that and draw < 93
                 else "that" if draw < 93 else "my")
        if which == "my" and not noun.kinds & MINE:
            which = "this"
        return NP(noun, determiner=self.word(which), plural=plural)

    def word(self, name):
        """A determiner as a node of its own."""
        return Word(self.lexicon.determiners[name])

    def list_of(self, name, note=None):
        """The table of a list of the lexicon, or of its entries that have a note."""
        entries = getattr(self.lexicon, name)
        return self.table((name, note), entries,
                          lambda entry: note in (None, *entry.notes), equal, 1)

    def recipients(self):
        return self.table(
            "to", self.people,
            lambda noun: noun.person and not noun.kinds & {"infant", "thief"}, equal)

    def place(self, node, used):
        """A noun phrase of a place that fits the clause's verb."""
        usual = "place" if node.verb.frame == "intransitive" and node.goal_wanted else \
            "roam" if "animal" in node.subject.noun.kinds else "usual"
        where = next((note[3:] for note in node.verb.notes if note.startswith("at:")),
                     usual)
        table = self.table(("at", where), self.lexicon.places,
                           lambda place: where in place.kinds, equal)
        return self.noun_phrase(self.fresh(table, used))
