"""English: a derivation tree put into words.

A row is (form, node, role, lemma, part of speech). Role "head" is the word that the
node is about, "part" belongs to it ("last" in "last night"), every other role is a
function word of that node.
"""

from softdict.corpus.trees import NP, Coord, Subordinate

DETERMINERS = {"this": ("this", "these"), "that": ("that", "those"), "my": ("my", "my")}
COPULA = {("present", False): "is", ("present", True): "are", ("past", False): "was",
          ("past", True): "were"}


def english(sentence):
    """Rows of a whole sentence, without the register tag."""
    rows, beside = [], sentence.beside
    if isinstance(beside, Subordinate) and beside.fronted:
        subordinate(rows, beside)
        rows.append((",", beside.clause, "punct", ",", "PUNCT"))
    clause(rows, sentence.main)
    if isinstance(beside, Coord):
        rows.append((",", beside.clause, "punct", ",", "PUNCT"))
        rows.append((beside.conjunction, beside.clause, "cc",
                     beside.conjunction, "CCONJ"))
        clause(rows, beside.clause)
    elif beside is not None and not beside.fronted:
        subordinate(rows, beside)
    return rows


def subordinate(rows, node):
    rows.append((node.conjunction, node.clause, "mark", node.conjunction, "SCONJ"))
    clause(rows, node.clause)


def entry_rows(rows, node, part_of_speech):
    """The words of a leaf; the last one is the head ("last night", "every day")."""
    *first, last = node.entry.english.split()
    rows += [(form, node, "part", form, part_of_speech) for form in first]
    rows.append((last, node, "head", last, part_of_speech))


def noun_phrase(rows, node, preposition=""):
    """Rows of a noun phrase, with its relative clause and the noun phrase that "and"
    joins to it."""
    if preposition:
        rows.append((preposition, node, "case", preposition, "ADP"))
    noun, follows = (node.noun,
                     (node.adjective.entry if node.adjective else node.noun).english)
    if node.determiner is not None:
        lemma = node.determiner.entry.english
        rows.append((DETERMINERS[lemma][node.plural], node.determiner, "head",
                     lemma, "DET"))
    elif node.article != "none":
        form = (node.article if node.article == "the" else "an"
                if follows[0] in "aeiou" or follows == "honest" else "a")
        rows.append((form, node, "det", node.article, "DET"))
    for word, tag in ((node.numeral, "NUM"), (node.adjective, "ADJ")):
        if word is not None:
            entry_rows(rows, word, tag)
    rows.append((noun.plural if node.plural else noun.english, node, "head",
                 noun.english,
                 "PROPN" if "name" in noun.kinds else "NOUN"))
    if node.relative is not None:
        inner = node.relative.clause
        pronoun = "who" if noun.person else "that"
        rows.append((pronoun, inner, "mark", pronoun, "PRON"))
        clause(rows, inner)
    if node.other is not None:
        rows.append(("and", node.other, "cc", "and", "CCONJ"))
        noun_phrase(rows, node.other)


def clause(rows, node):
    """Rows of a clause; in a relative clause the argument in the gap is silent."""
    for adjunct in node.adjuncts:
        if adjunct.fronted:
            adverbial(rows, adjunct)
    if node.gap != "subject":
        noun_phrase(rows, node.subject)
    predicate(rows, node)
    if node.verb.frame == "ditransitive" and not node.to_recipient:
        noun_phrase(rows, node.recipient)
    if node.object is not None and node.gap != "object":
        noun_phrase(rows, node.object)
    if node.recipient is not None and node.to_recipient:
        noun_phrase(rows, node.recipient, "to")
    if node.goal is not None:
        at = next(note[5:] for note in node.verb.notes if note.startswith("goal:"))
        noun_phrase(rows, node.goal, {"in": node.goal.noun.preposition}.get(at, at))
    if node.complement is not None:
        rows.append(("that", node.complement, "mark", "that", "SCONJ"))
        clause(rows, node.complement)
    for kind in ("manner", "place", "time"):
        adjunct = node.adjunct(kind)
        if adjunct is not None and not adjunct.fronted:
            adverbial(rows, adjunct)


def adverbial(rows, adjunct):
    """Rows of an adjunct outside the predicate: yesterday, in the park, quickly."""
    if isinstance(adjunct.content, NP):
        noun_phrase(rows, adjunct.content, adjunct.content.noun.preposition)
    else:
        entry_rows(rows, adjunct.content, "NOUN" if adjunct.kind == "time" else "ADV")


def predicate(rows, node):
    """Rows of the verb with its auxiliaries and the adverbs between them: did not often
    read."""
    verb, many = node.verb, node.subject.many
    auxiliaries, form = verb_group(node, many)
    for text, role in auxiliaries:
        lemma = {"is": "be", "are": "be", "was": "be", "were": "be", "did": "do",
                 "does": "do", "had": "have",
                 "wants": "want", "wanted": "want", "cannot": "can"}.get(text, text)
        rows.append((text, node, role, lemma, "PART" if text in ("not", "to")
                     else "AUX"))
    for kind in ("frequency", "early manner"):
        adjunct = node.adjunct(kind)
        if adjunct is not None:
            entry_rows(rows, adjunct.content, "ADV")
    rows.append((form, node, "head", verb.english, "ADJ" if verb.frame == "adjective"
                 else "VERB"))
    rows += [(extra, node, "part", extra, "ADP") for extra in verb.extra]
    # "is not in the park": "is" is the main word
    if verb.frame == "locative" and node.negated and not auxiliaries:
        rows.append(("not", node, "neg", "not", "PART"))


def verb_group(node, many):
    """Auxiliaries as (form, role), and the form of the main word: [("did", "tense"),
    ("not", "neg")], "sleep"."""
    verb, tense = node.verb, node.tense
    no = [("not", "neg")] if node.negated else []
    if node.shifted and tense != "present":    # inside "said that"
        word, form = ("had", 3) if tense == "past" else ("would", 0)
        if verb.frame == "adjective":
            return ([(word, "tense"), *no, (("been", "be")[form == 0], "copula")],
                    verb.english)
        return [(word, "tense"), *no], verb.forms[form]
    # "said that it was cold": cold at the time of saying
    tense = "past" if node.shifted else tense
    if node.modal == "want":
        do = [("do" if many else "does", "tense"), ("not", "neg"), ("want", "modal"),
              ("to", "modal")]
        return (do if node.negated else [("want" if many else "wants", "modal"),
                                         ("to", "modal")]), verb.forms[0]
    if node.modal:
        both = ([("cannot", "modal")] if node.modal == "can" and node.negated
                else [(node.modal, "modal"), *no])
        return both, verb.forms[0]
    if tense == "future":
        if verb.frame == "adjective":
            return [("will", "tense"), *no, ("be", "copula")], verb.english
        return [("will", "tense"), *no], verb.forms[0]
    be = COPULA[tense, many]
    if verb.frame == "adjective":
        return [(be, "copula"), *no], verb.english
    if node.progressive:
        return [(be, "aspect"), *no], verb.forms[4]
    if verb.frame == "locative":
        return [], be
    if node.negated:
        return [({"past": "did"}.get(tense, "do" if many else "does"), "tense"),
                ("not", "neg")], verb.forms[0]
    return ([], verb.forms[2] if tense == "past" else verb.forms[0]
            if many else verb.forms[1])
