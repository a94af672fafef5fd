"""Draws derivation trees: which construction, which words, and how a sentence grows to
its length.

A sentence starts as the smallest tree of its construction and then grows, one modifier
at a time, until it has the number of words asked for. So every length has the same mix
of constructions, and long sentences differ from short ones by what their phrases carry.
"""

from softdict.corpus.chance import Table
from softdict.corpus.choice import Choice, equal
from softdict.corpus.english import english
from softdict.corpus.growth import Sites, order_adjuncts
from softdict.corpus.trees import (
    NP, Adjunct, Clause, Coord, Sentence, Subordinate, Word, depth)

KINDS = ("simple", "relative", "complement", "subordinate", "coordinate")
FRAMES = Table([("transitive", 50), ("intransitive", 22), ("adjective", 12),
                ("ditransitive", 10), ("locative", 6)])
EVENT_FRAMES = Table([("transitive", 60), ("intransitive", 28), ("ditransitive", 12)])
SHORT_FRAMES = Table([("transitive", 25), ("intransitive", 50), ("adjective", 25)])


class Grammar(Choice):
    """Draws sentences, no more than `deepest` clauses inside one another."""

    def __init__(self, lexicon, chance, held_out=lambda *pair: False, deepest=2):
        super().__init__(lexicon, chance, held_out)
        # short: few words to spend, so small verbs
        self.deepest, self.short = deepest, False

    def clause(self, used, tense, frame=None, brief=False, after_that=False,
               animate=False):
        """A clause with its arguments and nothing more; `brief` asks for what begins
        and ends.

        `animate` asks for a doing or a mood, which can have a reason: "the dog was
        happy because ...".
        """
        frame = frame or self.chance.weighted(SHORT_FRAMES if self.short else FRAMES)
        pool = getattr(self.lexicon, frame + "s" if frame == "adjective" else frame)

        def allowed(verb):
            if frame == "adjective":
                if animate and not any("thing" not in n.kinds
                                       and self.goes("adjective", verb, n)
                                       for n in self.people):
                    return False
                return "state" in verb.notes or not (
                    brief or animate or tense == "future" or "before" in verb.notes)
            if ((brief or animate or tense == "future") and frame == "transitive"
                and "state" in verb.notes):
                return False
            return ({"present": "rare", "future": "mishap"}.get(tense, "present")
                    not in verb.notes and not (brief and "mishap" in verb.notes))

        verb = self.fresh(self.table((frame, brief, animate, tense), pool, allowed,
                                     equal), used)
        if frame == "adjective":
            pool = self.people if animate else self.people + self.lexicon.places
            subjects = self.table((verb, "predicate", animate), pool,
                                  lambda n: self.goes("adjective", verb, n)
                                  and not self.held_out("subject", verb, n)
                                  and not (animate and "thing" in n.kinds), equal)
        else:
            subjects = self.nouns_for(verb, "subject")
        subject = self.noun_phrase(self.fresh(subjects, used), after_that)
        if frame in ("adjective", "locative", "saying") or "mass" in subject.noun.kinds:
            # not "a book is heavy"
            subject.article = subject.article if subject.definite else "the"
        node = Clause(verb, subject, tense)
        self.arguments(node, used)
        return node

    def arguments(self, node, used):
        """Gives a clause the object, recipient and goal that its verb asks for, except
        the one in the gap."""
        verb = node.verb
        if verb.frame in ("transitive", "ditransitive") and node.gap != "object":
            node.object = self.noun_phrase(self.fresh(self.nouns_for(verb, "object"),
                                                      used))
        if verb.frame == "ditransitive":
            node.recipient = self.noun_phrase(self.fresh(self.recipients(), used))
            node.to_recipient = self.chance.happens(0.5)
        if node.goal_wanted:
            node.goal = self.place(node, used)

    def colour(self, node, modal=True, habit=None):
        """Gives a main clause its aspect, modal or negation; returns whether it tells
        of a habit, None if neither."""
        chance, verb = self.chance, node.verb
        active = (verb.frame not in ("adjective", "locative")
                  and "state" not in verb.notes)
        if active and node.tense == "present":
            person = node.subject.noun.person
            alive = person or "animal" in node.subject.noun.kinds
            if modal and alive and "mishap" not in verb.notes and chance.happens(0.3):
                node.modal = chance.choice(("can", "must", "want")
                                           if person else ("can", "want"))
            elif "once" not in verb.notes and (habit is False or habit is None
                                               and chance.happens(0.5)):
                node.progressive, habit = True, False
            else:
                mishap = "mishap" if "mishap" in verb.notes else None
                kind = "time" if mishap is None and chance.happens(0.4) else "frequency"
                table = (self.list_of("times", "habit")
                         if kind == "time" else self.list_of("frequencies", mishap))
                node.adjuncts.append(Adjunct(kind, Word(chance.weighted(table))))
                return True
        elif (active and node.tense == "past" and "once" not in verb.notes
              and chance.happens(0.1)):
            node.progressive = True
        self.negate(node)
        return habit

    def negate(self, node):
        """Negates a seventh of the clauses whose subject is known: not "a boat is not
        there"."""
        node.negated = node.subject.definite and self.chance.happens(0.14)

    def relative(self, noun, used, host, of_subject):
        """A clause about a noun of the clause `host`, or None if the lexicon has no
        verb for it."""
        chance = self.chance
        gap = "subject" if self.short or chance.happens(0.6) else "object"
        frames = (("intransitive", "transitive", "ditransitive", "locative")
                  if gap == "subject" else ("transitive",))
        if self.short and chance.happens(0.7):
            frames = frames[:1]
        elif host.verb.frame == "locative":
            frames = frames[:3]
        table = self.verbs_for(noun, gap, frames)
        if not table.items:
            return None
        verb = self.fresh(table, used)
        planned = host.tense != "past" and "plan" in verb.notes and chance.happens(0.4)
        tense = "present" if "state" in verb.notes else "future" if planned else "past"
        head = NP(noun)
        if gap == "subject":
            node = Clause(verb, head, tense, gap=gap)
        else:
            subject = self.noun_phrase(self.fresh(self.nouns_for(verb, "subject"),
                                                  used), after_that=True)
            node = Clause(verb, subject, tense, object=head, gap=gap)
        self.arguments(node, used)
        busy = (of_subject and host.verb.frame not in ("adjective", "locative")
                and "state" not in host.verb.notes)
        # no "the girl who was sleeping danced"
        clash = busy and (host.tense == "past" or host.progressive)
        bare = verb.frame == "intransitive" and not node.goal
        if (bare and "noplace" not in verb.notes
            and (clash or not self.short and chance.happens(0.5))):
            node.adjuncts.append(Adjunct("place", self.place(node, used)))
            bare = False
        if bare and (clash or "once" in verb.notes):
            return None
        if (tense == "past" and not clash and "once" not in verb.notes
            and (bare or chance.happens(0.25))):
            node.progressive, node.tense = (
                True, "past" if host.tense == "past" or host.shifted else "present")
        node.negated = (verb.frame != "locative" and not node.progressive
                        and chance.happens(0.1))
        return node

    def seed(self, kind):
        """The smallest sentence of a construction."""
        chance, used = self.chance, []
        draw = chance.below(100)
        tense = "past" if draw < 55 else "present" if draw < 85 else "future"
        if kind in ("simple", "relative"):
            main = self.clause(used, tense)
            self.colour(main)
            return Sentence(kind, main), used
        if kind == "complement":
            main = self.clause(used, "past" if draw < 75 else "present", "saying")
            if main.tense == "present" and "heard" in main.verb.notes:
                main.tense = "past"
            self.negate(main)
            main.complement = self.complement(used, main.tense)
            return Sentence(kind, main), used
        if kind == "coordinate":
            main = self.clause(used, tense)
            still = main.verb.frame in ("adjective", "locative")
            second = self.clause(used, tense, main.verb.frame
                                 if still else chance.weighted(EVENT_FRAMES))
            self.colour(second, False, self.colour(main, False))
            return (Sentence(kind, main, Coord(chance.choice(("and", "but")), second)),
                    used)
        conjunction = chance.choice(("because", "when", "if", "although"))
        if conjunction == "if":
            outer, inner = "future", "present"
        elif conjunction == "when":
            outer, inner = ("past", "past") if draw < 60 else ("future", "present")
        else:
            outer = inner = "past" if draw < 65 else "present"
        main = self.clause(used, outer, animate=True)
        under = self.clause(used, inner, brief=conjunction in ("if", "when"))
        habit = self.colour(main, False)
        if conjunction in ("because", "although"):
            self.colour(under, False, habit)
        elif conjunction == "if":
            self.negate(under)
        return Sentence(kind, main,
                        Subordinate(conjunction, under, chance.happens(0.5))), used

    def complement(self, used, outer):
        """What is said: before the saying (had slept), after it (would sleep) or, for
        states, then (was cold)."""
        tense = self.chance.choice(("past", "past", "future") if outer == "past"
                                   else ("past", "present", "future"))
        node = self.clause(used, tense, after_that=True)
        if node.verb.frame in ("adjective", "locative") and outer == "past":
            node.tense = "present"
        node.shifted = outer == "past"
        state = (node.verb.frame in ("adjective", "locative")
                 or "state" in node.verb.notes)
        if node.tense == "present" and not state:
            node.progressive = "once" not in node.verb.notes
            node.tense = "present" if node.progressive else "past"
        self.negate(node)
        return node

    def sentence(self, kind, shortest, longest, exact_depth=None):
        """A sentence of a construction with shortest to longest English words."""
        self.short = longest <= 8 and kind != "simple"
        # a name cannot carry a relative clause
        self.naming = self.short and kind != "relative"
        while True:
            found, used = self.seed(kind)
            size = len(english(found))
            least = max(size + 2 * (kind == "relative"), shortest)
            # else nearly all of these would have eight words
            still = longest <= 8 and self.chance.happens(0.7)
            target = (least if still
                      else least + self.chance.below(max(1, longest - least + 1)))
            if (target <= longest
                and self.grow(found, used, size, target, exact_depth) == target):
                self.settle(found)
                return found

    def settle(self, sentence):
        """Puts adjuncts where they cannot be misread."""
        for clause in [sentence.main,
                       *([sentence.beside.clause] if sentence.beside else [])]:
            order_adjuncts(sentence, clause, self.chance)

    def grow(self, sentence, used, size, target, exact_depth):
        """Adds modifiers until the sentence has `target` words or nothing more fits;
        returns its words, or 0."""
        sites = Sites(self, sentence, used)
        for level in range(depth(sentence), exact_depth or sentence.kind == "relative"):
            added = sites.deepen(level, target - size)
            if not added:
                return 0
            size += added
        while size < target and sites.open:
            size += sites.step(target - size)
        return size
