"""Korean: the same derivation tree put into morphemes, the verb last.

A row is (form, node, role, lemma, part of speech, gloss). Roles are those of `english`,
and particles ("case"), honorific ("hon"), plural and classifier. Glosses in capitals
are listed in GLOSSES.
"""

from softdict.corpus.endings import VerbForm
from softdict.corpus.morphology import ending, particle
from softdict.corpus.trees import NP, Coord, Subordinate

GLOSSES = {
    "TOP": "what the sentence is about", "SUBJ": "subject",
    "HON.SUBJ": "honoured subject", "OBJ": "object", "DAT": "to a person or animal",
    "HON.DAT": "to an honoured person", "AT": "to or in a place",
    "IN": "where something happens", "WITH": "and, between nouns",
    "PL": "more than one", "COUNT": "counter after a number",
    "HON": "the subject is honoured", "PAST": "past", "FUT": "not yet",
    "REL": "makes an adjective describe a noun",
    "PRES.REL": "makes a clause describe a noun: is doing",
    "PAST.REL": "the same: has done", "WAS.REL": "the same: was doing",
    "FUT.REL": "the same: will do", "NEG": "before not",
    "PROG": "before be: in the course of", "LINK": "links two verbs",
    "NOM": "makes a noun of a verb",
    "QUOTE": "that, after what is said", "PLAIN": "ends a plain sentence",
    "POLITE": "ends a polite sentence", "FORMAL": "ends a formal sentence",
    "IF": "if", "MUST": "only if", "AND": "and, between clauses",
    "BUT": "but, although", "BE": "is",
}
MY = {"plain": "내", "polite": "제", "formal": "제"}


def korean(sentence):
    """Rows of a whole sentence in its register; a subordinate clause comes first."""
    rows, beside, register = [], sentence.beside, sentence.register
    if isinstance(beside, Coord):
        clause(rows, sentence.main, register, beside.conjunction, beside.clause)
        clause(rows, beside.clause, register)
        return rows
    if isinstance(beside, Subordinate):
        clause(rows, beside.clause, register, beside.conjunction, beside.clause)
    clause(rows, sentence.main, register)
    return rows


def entry_rows(rows, node, part_of_speech):
    """The words of a leaf; the last one is the head."""
    gloss = node.entry.english.replace(" ", ".")
    *first, last = node.entry.korean
    rows += [(form, node, "part", form, part_of_speech, gloss) for form in first]
    rows.append((last, node, "head", last, part_of_speech, gloss))


def noun_phrase(rows, node, register, case="", topic=False):
    """Rows of a noun phrase: clause, determiner, adjective, noun, plural, number, then
    the particles of its case."""
    noun = node.noun
    if node.relative is not None:
        clause(rows, node.relative.clause, register, "relative", node.relative.clause)
    lemma = node.determiner.entry.english if node.determiner else ""
    # 우리 어머니, 우리 선생님; an adjective comes before 우리
    ours = lemma == "my" and noun.kinds & {"kin", "hon"}
    if node.adjective is not None and ours:
        attribute(rows, node.adjective, noun)
    if lemma:
        form = {"this": "이", "that": "그",
                "my": "우리" if ours else MY[register]}[lemma]
        rows.append((form, node.determiner, "head", form, "DET", lemma))
    if node.adjective is not None and not ours:
        attribute(rows, node.adjective, noun)
    kind = "PROPN" if "name" in noun.kinds else "NOUN"
    rows += [(form, node, "part", form, kind, noun.english)
             for form in noun.korean[:-1]]
    rows.append((noun.korean[-1], node, "head", noun.korean[-1], kind, noun.english))
    if node.numeral is not None:
        entry_rows(rows, node.numeral, "NUM")
        rows.append((noun.classifier, node.numeral, "classifier", noun.classifier,
                     "NOUN", "COUNT"))
    elif node.plural and noun.kinds & {"person", "animal"}:
        rows.append(("-들", node, "plural", "-들", "SUFFIX", "PL"))
    if node.other is not None:
        rows.append((particle("WITH", rows[-1][0]), node.other, "cc", "-와",
                     "ADP", "WITH"))
        noun_phrase(rows, node.other, register)
    for label in particles(node, case, topic):
        rows.append((particle(label, rows[-1][0]), node, "case", particle(label, ""),
                     "ADP", label))


def particles(node, case, topic):
    """Labels of the particles after a noun phrase: 는 for what the main clause is
    about, else 가; 께서 to honour."""
    if case == "subject":
        known = topic and node.definite and (node.other is None or node.other.definite)
        return (["HON.SUBJ"] + ["TOP"] * known if node.noun.honorific
                else ["TOP" if known else "SUBJ"])
    if case == "recipient":
        return ["HON.DAT" if node.noun.honorific else "DAT"]
    return {"": [], "object": ["OBJ"], "goal": ["AT"], "place": ["IN"]}[case]


def attribute(rows, word, noun):
    """Rows of an adjective before its noun; 새 (new) takes no ending, 늙 (old) is a
    verb: has grown old."""
    (*first, stem), shape = word.entry.sense(noun)
    gloss = word.entry.english
    if shape == "bare":
        rows.append((stem, word, "head", stem, "DET", gloss))
        return
    rows += [(form, word, "part", form, "ADJ", gloss) for form in first]
    rows.append((stem, word, "head", stem + "다", "ADJ", gloss))
    if shape == "has":
        rows.append(("-는", word, "mark", "-는", "ENDING", "REL"))
    else:
        rows.append((ending("PAST.REL", stem), word, "mark", "-ㄴ", "ENDING", "REL"))


def clause(rows, node, register, closing="final", closed=None):
    """Rows of a clause; `closing` says what its last ending does, `closed` is the node
    which that ending belongs to."""
    topic = closing in ("final", "and", "but", "although")
    when_where = [adjunct
                  for kind in ("time", "place") if (adjunct := node.adjunct(kind))]
    late = node.complement is not None or any(p.relative for r, p in node.arguments
                                              if r != "nsubj")
    if node.gap != "subject":
        noun_phrase(rows, node.subject, register, "subject", topic)
    if not late:
        adverbials(rows, when_where, register)
    if node.recipient is not None:
        noun_phrase(rows, node.recipient, register, "recipient")
    if node.goal is not None:
        noun_phrase(rows, node.goal, register, "goal")
    if node.object is not None and node.gap != "object":
        noun_phrase(rows, node.object, register, "object")
    if node.complement is not None:
        clause(rows, node.complement, register, "quote", node.complement)
    # right before the verb, so that "yesterday" is not taken for part of a clause
    # inside
    if late:
        adverbials(rows, when_where, register)
    adverbials(rows, [a for kind in ("frequency", "manner", "early manner")
                      if (a := node.adjunct(kind))], register)
    VerbForm(rows, node).build(register, closing, closed)


def adverbials(rows, adjuncts, register):
    for adjunct in adjuncts:
        if isinstance(adjunct.content, NP):
            noun_phrase(rows, adjunct.content, register, "place")
        else:
            entry_rows(rows, adjunct.content, "NOUN" if adjunct.kind == "time"
                       else "ADV")
