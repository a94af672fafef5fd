"""The Korean verb at the end of a clause: stem, honorific, negation, tense and the
ending that says what follows."""

from softdict.corpus.morphology import HONORIFIC, ending

ENDS = {"plain": "PLAIN", "polite": "POLITE", "formal": "FORMAL"}
LEMMAS = {"PAST": "-었", "PAST.REL": "-ㄴ", "FUT.REL": "-ㄹ"}
# -ㄹ 수 있다, -ㄹ 수 없다; -아야 하다, -면 안 되다
MODALS = {
    ("can", False): (("FUT.REL", "FUT.REL"), ("수", "way", "NOUN"),
                     ("있", "be", "AUX")),
    ("can", True): (("FUT.REL", "FUT.REL"),
                    ("수", "way", "NOUN"), ("없", "not.be", "AUX")),
    ("must", False): (("must", "MUST"), ("하", "do", "AUX")),
    ("must", True): (("if", "IF"), ("안", "not", "ADV"), ("되", "become", "AUX")),
}


class VerbForm:
    """Builds the verb of a clause, morpheme by morpheme, at the end of `rows`."""

    def __init__(self, rows, node):
        self.rows, self.node = rows, node
        self.honoured = node.subject.noun.honorific
        self.negated = self.supplied = False    # supplied: the stem itself is honorific
        # verb, adjective, or has (있다 and 없다: adjectives but for -는)
        self.kind = "verb"

    def add(self, form, role, gloss, lemma=None, node=None, kind="ENDING"):
        self.rows.append((form, node or self.node, role, lemma or form, kind, gloss))

    def end(self, label, role, gloss=None, node=None):
        """Adds an ending in the shape that the morpheme before it asks for."""
        form = ending(label, self.rows[-1][0])
        self.add(form, role, gloss or label, LEMMAS.get(label, form), node)

    def build(self, register, closing, closed):
        self.stem()
        self.middle()
        if closing == "final":
            self.final(register)
        else:
            self.link(closing, closed)

    def stem(self):
        """The verb's stem: an honorific or negative one where the language has it
        (자다, 주무시다; 있다, 없다)."""
        node, verb = self.node, self.node.verb
        forms, kind = verb.korean, "VERB"
        if verb.frame == "adjective":
            forms, shape = verb.sense(node.subject.noun)
            self.kind, kind = ("has" if shape == "has" else "adjective"), "ADJ"
        elif verb.frame == "locative":
            self.kind = "has"
        self.negated = node.negated
        if self.honoured and "hon" in verb.special:
            forms, self.kind = verb.special["hon"], "verb"
        elif node.negated and "neg" in verb.special and not node.modal:
            forms, self.negated = verb.special["neg"], False
        elif (node.recipient is not None and node.recipient.noun.honorific
              and "to" in verb.special):
            forms = verb.special["to"]
        for form in forms[:-1]:
            self.add(form, "part", verb.english, kind=kind)
        self.add(forms[-1], "head", verb.english, forms[-1] + "다", kind=kind)
        self.supplied = forms[-1] in HONORIFIC

    def honour(self):
        if self.honoured and not self.supplied:
            self.end("HON", "hon")

    def middle(self):
        """What stands between stem and tense: progressive, modal, negation,
        honorific."""
        node = self.node
        if node.progressive and not (node.gap and node.tense == "past"):
            self.add("-고", "aspect", "PROG")
            self.add("계시" if self.honoured else "있", "aspect", "be", kind="AUX")
            self.kind, self.supplied = ("verb" if self.honoured else "has"), True
        if node.modal in ("can", "must"):
            self.honour()
            (label, gloss), *words = MODALS[node.modal, self.negated]
            self.end(label, "modal", gloss)
            for form, gloss, kind in words:
                self.add(form, "neg" if form == "안" else "modal", gloss, kind=kind)
            self.kind = "has" if node.modal == "can" else "verb"
            return
        if node.modal == "want":
            for form, gloss in (("-고", "LINK"), ("싶", "want"), ("-어", "LINK"),
                                ("하", "do")):
                self.add(form, "modal", gloss,
                         kind="ENDING" if gloss == "LINK" else "AUX")
            self.supplied = False
        if self.negated:
            self.add("-지", "neg", "NEG")
            # 찾지 않다 is not looking for, 찾지 못하다 not finding
            self.add("못하" if "fails" in node.verb.notes and not node.modal else "않",
                     "neg", "not", kind="AUX")
            self.kind = "adjective" if self.kind == "has" else self.kind
            self.supplied = self.supplied and node.progressive
        self.honour()

    def tense(self):
        """Past or future before an ending."""
        if self.node.tense == "past":
            self.end("PAST", "tense")
        elif self.node.tense == "future":
            self.end("FUT.REL", "tense", "FUT")
            self.add("것", "tense", "thing", kind="NOUN")
            self.add("-이", "tense", "BE")

    def final(self, register):
        """The ending of the sentence, which its register decides."""
        label = ENDS[register]
        if register == "polite" and self.node.tense == "future":    # 할 거예요
            self.end("FUT.REL", "tense", "FUT")
            self.add("거", "tense", "thing", kind="NOUN")
            self.add("-예요", "end", label)
            return
        self.tense()
        if register == "plain" and (self.kind != "verb"
                                    or self.node.tense != "present"):
            self.add("-다", "end", label)
        else:
            self.end(label, "end")

    def link(self, closing, node):
        """The ending that joins a clause to what follows it."""
        tense = self.node.tense
        if closing == "relative":
            if self.node.progressive and tense == "past":    # 읽던: was reading
                self.add("-던", "mark", "WAS.REL", node=node)
            elif tense == "present" and self.kind != "adjective":
                self.add("-는", "mark", "PRES.REL", node=node)
            else:
                self.end("FUT.REL" if tense == "future" else "PAST.REL", "mark",
                         node=node)
        elif closing == "when":
            if tense == "past" and not self.node.progressive:
                self.tense()
            self.end("FUT.REL", "mark", node=node)
            self.add("때", "mark", "time", node=node, kind="NOUN")
        elif closing == "if":
            self.end("if", "mark", "IF", node)
        elif closing == "because":
            self.tense()
            self.add("-기", "mark", "NOM", node=node)
            self.add("때문", "mark", "reason", node=node, kind="NOUN")
            self.add("-에", "mark", "AT", node=node, kind="ADP")
        elif closing == "quote":
            self.tense()
            if tense == "future":
                self.add("-라고", "mark", "QUOTE", node=node)
                return
            if self.kind == "verb" and tense == "present":
                self.end("PLAIN", "end")
            else:
                self.add("-다", "end", "PLAIN")
            self.add("-고", "mark", "QUOTE", node=node)
        else:
            self.tense()
            both = ("-고", "AND") if closing == "and" else ("-지만", "BUT")
            self.add(both[0], "mark" if closing == "although" else "cc", both[1],
                     node=node)
