"""Which sentences a trained system gets right, one by one: known, new and long ones.

The question: does a translator lose the content of long sentences because they are new,
or also of those that it was trained on? And which of two systems is right where the
other is wrong? The measures: for each sentence whether its translation is exact, and
how many of its content words are found. Known sentences are the first of the training
in each bin of length, as many as a bin of the test holds. If the share of content falls
with length among the known as among the new, novelty is not the cause; if it stays near
100, the vector had room for them. With flags in a row a paired bootstrap needs no
training. The Transformers that are trained here serve once more: what their heads are
worth by silence and by mean ablation (`averaged`).
"""

from functools import partial

from softdict.experiments import averaged, roles, sentences
from softdict.experiments.measures import found_content, translations
from softdict.experiments.runner import trained
from softdict.experiments.translation import SYSTEMS
from softdict.scoring import by_length, exact_match_scores

FROM_EACH = 200    # known sentences of a bin of length, at most
# the systems that have results, each with its seeds
FLAGGED = {"rnn": range(3), "attention-additive": range(5), "transformer": range(5),
           "transformer-rotary": range(5)}


def known(system):
    """Sentences that a system was trained on, some of each length."""
    seen = sentences.split("train")[:system.pairs]
    groups = by_length([example.length for example in seen]).values()
    return [seen[n] for group in groups for n in group[:FROM_EACH]]


def finish(system, state):
    """Flags of sentences, in their order, as text: "exact" holds 0 and 1, "found" and
    "wanted" the numbers of content words, "length" of English words."""
    table = {"parameters": sum(part.numel() for part in state.model.parameters())}
    for name, examples in (("known", known(system)), ("iid", sentences.split("iid")),
                           ("long", sentences.split("long"))):
        lines = translations(system, state.model, examples)
        exact = exact_match_scores(lines, [example.target for example in examples])
        found, wanted = zip(*found_content(examples, lines))
        table[name] = {"exact": "".join(str(int(flag)) for flag in exact),
                       "found": " ".join(map(str, found)),
                       "wanted": " ".join(map(str, wanted)),
                       "length": " ".join(str(example.length) for example in examples)}
    if system is roles.SYSTEM:
        table["averaged"] = averaged.compared(state.model)
    return table


ALL = {name: one for systems in SYSTEMS.values() for name, one in systems.items()}
EXPERIMENTS = [
    trained(f"flags-{name}", "flags", ALL[name].start, partial(finish, ALL[name]),
            seeds)
    for name, seeds in FLAGGED.items()]
