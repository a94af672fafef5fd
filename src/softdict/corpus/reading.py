"""What Korean morphemes mean, for a reader who knows no Korean.

The glosses are counted in the training split and kept in assets/glosses.json, so that
one sentence needs no corpus; `write_glosses` makes that file.
"""

import json
from collections import Counter, defaultdict
from functools import cache
from importlib import resources

from softdict.corpus.splits import split
from softdict.texts.files import write_whole

FILE = resources.files("softdict") / "assets" / "glosses.json"


def counted():
    """The most frequent gloss of each morpheme, and behind another one if it differs.

    a morpheme that is a word of its own, too, has the gloss of that word: baby, and
    not the kitten whose first part it is
    returns two dicts: from a morpheme to its gloss, and from a morpheme to the glosses
    that it has behind others
    """
    alone, behind, pairs = defaultdict(Counter), defaultdict(Counter), split("train")
    words = {token.form
             for pair in pairs for token in pair.target if token.role != "part"}
    for pair in pairs:
        before = ""
        for token in pair.target:
            if token.role != "part" or token.form not in words:
                alone[token.form][token.gloss] += 1
                behind[before, token.form][token.gloss] += 1
            before = token.form
    glosses, others = {form: counts.most_common(1)[0][0]
                       for form, counts in alone.items()}, {}
    for (before, form), counts in behind.items():
        gloss = counts.most_common(1)[0][0]
        if gloss != glosses[form]:
            others.setdefault(form, {})[before] = gloss
    return glosses, others


@cache
def meanings():
    """What `counted` gave, from the file that comes with the package."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def gloss(morphemes):
    """The meaning of each morpheme of a sentence, as it is behind the one before.

    one never seen stands for itself
    """
    glosses, others = meanings()
    return [others.get(form, {}).get(before) or glosses.get(form, form)
            for before, form in zip(["", *morphemes], morphemes)]


def write_glosses():
    """Counts the glosses anew and writes the file that comes with the package."""
    text = json.dumps(counted(), ensure_ascii=False, indent=0, sort_keys=True)
    write_whole(FILE, (text + "\n").encode("utf-8"))
