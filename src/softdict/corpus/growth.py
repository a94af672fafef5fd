"""How a sentence grows: one modifier at a time, wherever one fits, until it has its
length."""

from softdict.corpus.chance import Table
from softdict.corpus.english import clause as clause_rows
from softdict.corpus.english import noun_phrase as phrase_rows
from softdict.corpus.trees import Adjunct, Coord, Relative, Subordinate, Word

ODDS = {"adjective": 6, "relative": 6, "place": 3, "time": 3, "number": 2, "other": 2,
        "manner": 3}
LATE = ("well", "hard", "loudly")    # never before the verb


def opens(sentence, clause):
    """True if the clause begins a sentence or follows "and", so that "yesterday" can
    stand in front of it."""
    beside = sentence.beside
    if clause is sentence.main:
        return not (isinstance(beside, Subordinate) and beside.fronted)
    return isinstance(beside, Coord) and clause is beside.clause


def order_adjuncts(sentence, clause, chance):
    """Decides where English puts the adjuncts of a clause: in front if a clause inside
    it could claim them."""
    for adjunct in clause.adjuncts:
        if adjunct.kind in ("time", "place") and opens(sentence, clause):
            adjunct.fronted = clause.embeds or chance.happens(
                0.4 if adjunct.kind == "time" else 0.1)
        elif adjunct.kind == "manner" and (
                clause.embeds or adjunct.content.entry.english not in LATE
                and chance.happens(0.25)):
            adjunct.kind = "early manner"


class Sites:
    """The places of a sentence where a modifier may still be added."""

    def __init__(self, grammar, sentence, used):
        self.grammar, self.chance, self.sentence, self.used = (grammar, grammar.chance,
                                                               sentence, used)
        self.open = []
        outer = ([sentence.main] if sentence.beside is None
                 else [sentence.main, sentence.beside.clause])
        for clause in outer:
            below = (isinstance(sentence.beside, Subordinate)
                     and clause is sentence.beside.clause)
            self.add_clause(clause, int(below))
            self.open += [(kind, clause, None, 0)
                          for kind in ("place", "time", "manner")]
        if sentence.main.complement is not None:
            self.add_clause(sentence.main.complement, 1)

    def add_clause(self, clause, depth):
        """Opens the noun phrases of a clause that stands `depth` clauses deep."""
        for relation, phrase in clause.arguments:
            if "name" not in phrase.noun.kinds:
                kinds = (("adjective",) if relation == "obl"
                         else ("adjective", "number", "relative"))
                if clause.verb.frame == "adjective":    # no "the small dog was big"
                    kinds = kinds[1:]
                self.open += [(kind, phrase, clause, depth) for kind in kinds]
            if relation != "obl" and clause.gap == "":
                self.open.append(("other", phrase, clause, depth))

    def step(self, room):
        """Tries one modifier at a random site; returns the words that it added, at most
        `room`."""
        site = self.chance.weighted(Table((site, ODDS[site[0]]) for site in self.open))
        self.open.remove(site)
        kind, node, clause, depth = site
        return getattr(self, kind)(node, clause, depth, room)

    def deepen(self, level, room):
        """Adds a relative clause to a noun that stands `level` clauses deep;
        returns its words, 0 if none takes one."""
        sites = [site
                 for site in self.open if site[0] == "relative" and site[3] == level]
        while sites:
            site = self.chance.choice(sites)
            sites.remove(site)
            self.open.remove(site)
            if size := self.relative(*site[1:], room):
                return size
        return 0

    # ---- modifiers of nouns: each returns the words it added, 0 if it does not fit ---

    def adjective(self, phrase, clause, depth, room):
        made = (clause is not None and "creates" in clause.verb.notes
                and "thing" in phrase.noun.kinds)
        table = self.grammar.adjectives_for(phrase.noun, made)
        if not table.items:
            return 0
        entry = self.grammar.fresh(table, self.used)
        phrase.adjective = Word(entry)
        return 1

    def number(self, phrase, clause, depth, room):
        noun = phrase.noun
        if (not noun.countable or noun.kinds & {"kin", "place"} or phrase.article == "a"
            or phrase.numeral):
            return 0
        phrase.plural, phrase.numeral = (
            True, Word(self.chance.weighted(self.grammar.list_of("numerals"))))
        return 1

    def other(self, phrase, clause, depth, room):
        verb = clause.verb
        if (phrase.relative is not None or phrase.other is not None
            or verb.frame == "adjective" or room < 2):
            return 0
        if phrase is clause.recipient:
            table = self.grammar.recipients()
        else:
            table = self.grammar.nouns_for(verb, "subject" if phrase is clause.subject
                                           else "object")
        noun = self.grammar.fresh(table, self.used)
        alike = all((kind in noun.kinds) == (kind in phrase.noun.kinds)
                    for kind in ("hon", "thing", "place"))
        if noun is phrase.noun or not alike:
            return 0
        second = self.grammar.noun_phrase(noun)
        if phrase is clause.subject and phrase.definite != second.definite:
            return 0
        rows = []
        phrase_rows(rows, second, "and")
        if (len(rows) > room or second.article == "none" and not noun.person
            and phrase is clause.subject):
            return 0
        phrase.other = second
        if "name" not in noun.kinds:
            self.open += [("adjective", second, clause, depth),
                          ("number", second, clause, depth)]
        return len(rows)

    def relative(self, phrase, clause, depth, room):
        if (self.sentence.kind == "simple" or depth >= self.grammar.deepest
            or not self.may_embed(phrase, clause)):
            return 0
        before = len(self.used)
        inner = self.grammar.relative(phrase.noun, self.used, clause,
                                      phrase is clause.subject)
        rows = []
        if inner is not None:
            inner_head = "subject" if inner.gap == "subject" else "object"
            setattr(inner, inner_head, phrase)
            clause_rows(rows, inner)
        beside = self.sentence.beside
        turns = (isinstance(beside, Subordinate) and clause is self.sentence.main
                 and not beside.fronted)
        if inner is None or len(rows) + 1 + turns > room:
            del self.used[before:]
            return 0
        phrase.relative = Relative(inner)
        # with the subordinate clause in front, and a comma, nothing can be taken as
        # part of the relative
        if turns:
            beside.fronted = True
        self.add_clause(inner, depth + 1)
        return len(rows) + 1 + turns

    def may_embed(self, phrase, clause):
        """True if a relative clause after the noun leaves every word where only one
        reading can put it."""
        if (phrase.determiner is not None or phrase.other is not None
            or phrase.article == "none" and not phrase.numeral):
            return False
        last = (clause.goal is None
                and (phrase is clause.object and not clause.to_recipient
                     or phrase is clause.recipient and clause.to_recipient))
        if phrase is not clause.subject and (not last
                                             or "creates" in clause.verb.notes):
            return False
        manner = clause.adjunct("manner")
        if manner is not None and manner.content.entry.english in LATE:
            return False
        if clause.adjunct("time") is None and clause.adjunct("place") is None:
            return True
        return (opens(self.sentence, clause)
                and not isinstance(self.sentence.beside, Subordinate))

    # ---- modifiers of clauses --------------------------------------------------------

    def place(self, clause, _, depth, room):
        verb = clause.verb
        if (verb.frame in ("adjective", "locative", "saying") or clause.goal
            or "noplace" in verb.notes
            or "state" in verb.notes or room < 3 or not self.has_room_for(clause)):
            return 0
        phrase = self.grammar.place(clause, self.used)
        clause.adjuncts.append(Adjunct("place", phrase))
        self.open.append(("adjective", phrase, clause, depth))
        return 3

    def time(self, clause, _, depth, room):
        beside = self.sentence.beside
        conditional = (isinstance(beside, Subordinate)
                       and (clause is beside.clause and beside.conjunction == "if"
                            or beside.conjunction == "when"))
        verb = clause.verb
        steady = "state" not in verb.notes if verb.frame == "adjective" else \
            "state" in verb.notes and verb.frame != "locative" or "long" in verb.notes
        timed = clause.adjunct("frequency") or clause.adjunct("time")
        if (conditional or steady or timed or clause.modal
            or not self.has_room_for(clause)):
            return 0
        note = ("progressive" if clause.progressive and clause.tense == "present"
                else clause.tense)
        if note == "present":
            return 0
        if (note == "future" and "plan" in clause.verb.notes
            and self.chance.happens(0.3)):
            note = "plan"
        entry = self.chance.weighted(self.grammar.list_of("times", note))
        size = len(entry.english.split())
        if size > room:
            return 0
        clause.adjuncts.append(Adjunct("time", Word(entry)))
        return size

    def manner(self, clause, _, depth, room):
        if not clause.verb.manners or clause.negated or clause.adjunct("frequency"):
            return 0
        note = self.chance.choice(clause.verb.manners)
        entry = self.chance.weighted(self.grammar.list_of("manners", note))
        if clause.embeds and entry.english in LATE:
            return 0
        clause.adjuncts.append(Adjunct("manner", Word(entry)))
        return 1

    def has_room_for(self, clause):
        """True if "yesterday" or "in the park" can be added without seeming to belong
        to a clause inside."""
        return not clause.embeds or opens(self.sentence, clause)
