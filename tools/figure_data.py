"""Writes what two live figures need into a folder, for tools/live_data.py.

    python tools/figure_data.py FOLDER

beam.json: for some sentences, and the tiny writer of chapter 17, log p of each word
that any search in the page can reach. alignment.json: where trained models look, and
what they write, from the stored results of softdict.experiments.maps.
"""

import json
import math
import sys
from collections import Counter
from pathlib import Path

import torch
from environment import script
from softdict import corpus, runtime
from softdict.decoding import normalised, without
from softdict.experiments import maps
from softdict.experiments.measures import found_content
from softdict.programs.translator import bundled, words_of
from softdict.scoring import BINS, by_length
from softdict.texts.files import write_whole
from softdict.vocab import BOS, EOS, PAD

WIDTHS = 1, 2, 3, 4, 5
PENALTIES = [n / 10 for n in range(11)]
LONGEST = 40    # pieces of a translation, its end counted
# the tree of chapter 17
WRITER = {(): {"it": 0.55, "there": 0.45},
          ("it",): {"rains": 0.4, "rained": 0.3, "poured": 0.3},
          ("there",): {"is": 1.0}, ("there", "is"): {"rain": 1.0}}
# greedy writes another translation of each of these than a beam of five
HARD = (("role", 37), ("pairs", 148), ("agree", 48), ("deep", 28), ("deep", 168),
        ("iid", 548))
TYPED = ("when the girls who kicked the ball that is in the old house played, Mina "
         "baked bread and the cake", "the puppy sleeps")
SIZES = [f"{low}-{high}" for low, high in BINS]
MODELS = {"dot": "attention", "scaled": "attention-scaled", "rnn": "rnn"}
SEEDS = 3


def write_figures(folder):
    """Writes beam.json and alignment.json into `folder`."""
    for name, content in (("beam", beam()), ("alignment", alignment())):
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        write_whole(Path(folder) / f"{name}.json", text.encode("utf-8"))


# Beam search --------------------------------------------------------------------------


def reached(next_logs, end, longest=LONGEST):
    """log p of each next word that a beam of any width and length penalty considers.

    next_logs(beginnings) gives, for each tuple of words, the next words with log p
    returns {beginning: {word: log p}}
    """
    kept, memory = {}, {}

    def remembered(beginnings):
        new = [words for words in beginnings if words not in memory]
        memory.update(zip(new, next_logs(new) if new else []))
        return [memory[words] for words in beginnings]

    for width in WIDTHS:
        going, found = {(): 0.0}, []
        for length in range(1, longest + 1):
            logs = remembered([*going])
            longer = sorted(((total + log, words, word) for (words, total), row
                             in zip(going.items(), logs)
                             for word, log in row.items()),
                            key=lambda one: -one[0])[:2 * width]
            for _, words, word in longer:
                kept.setdefault(words, {})[word] = memory[words][word]
            found += [(total, length) for total, _, word in longer[:width]
                      if word == end]
            going = dict([((*words, word), total) for total, words, word in longer
                          if word != end][:width])
            if not going or all(over(found, max(going.values()), length, width,
                                     longest, penalty) for penalty in PENALTIES):
                break
    return kept


def over(found, top, length, width, longest, penalty):
    """Whether nothing that goes on can still come among the `width` best."""
    scores = sorted((normalised(*one, penalty) for one in found), reverse=True)[:width]
    most = max(normalised(top, end, penalty) for end in (length + 1, longest))
    return len(scores) == width and scores[-1] >= most


def translator_logs(words):
    """`next_logs` of the trained Transformer for one English sentence."""
    saved = bundled()
    source = torch.tensor([saved.source_vocab.ids(words)])    # [1, S]

    @torch.no_grad()
    def next_logs(beginnings):    # all of the same length
        rows = source.expand(len(beginnings), -1)
        told = torch.tensor([[BOS, *ids] for ids in beginnings])
        logits = saved.model(rows, torch.full((len(rows),), rows.shape[1]), told)[:, -1]
        logs = without(logits, PAD, BOS).log_softmax(dim=-1)
        return [dict(enumerate(row)) for row in logs.tolist()]

    return next_logs


def beam():
    """What the figure of chapter 17 needs, as a dict."""
    return {"longest": LONGEST,
            "sentences": [tiny(), *(hard(corpus.split(name)[number])
                                    for name, number in HARD),
                          *(searched(words_of(text)) for text in TYPED)]}


def tiny():
    """The tiny writer, as a sentence of the figure."""
    def next_logs(beginnings):
        rows = [WRITER.get(words, {"<eos>": 1.0}) for words in beginnings]
        return [{word: math.log(share) for word, share in row.items()} for row in rows]

    return packed("the tiny writer", reached(next_logs, "<eos>"), "<eos>",
                  lambda word: [word, ""])


def hard(pair):
    """A pair of the corpus, as a sentence of the figure."""
    return {**searched(pair.words),
            "right": " ".join(map(corpus.romanise, pair.morphemes))}


def searched(words):
    """An English sentence as the trained Transformer translates it."""
    forms = bundled().target_vocab.words

    def shown(word):
        return [corpus.romanise(forms[word]), *corpus.gloss([forms[word]])]

    return packed(" ".join(words[1:]), reached(translator_logs(words), EOS), EOS, shown)


def packed(name, kept, end, shown):
    """Beginnings and their next words as the page wants them.

    words: what shown(word) says of each, 0 is the end; next: "1 2" is the beginning of
    words 1 and 2, and [3, -0.5] says that log p of word 3 behind it is -0.5
    """
    known = [end, *dict.fromkeys(word for row in kept.values() for word in row
                                 if word != end)]
    place = {word: n for n, word in enumerate(known)}
    return {"name": name, "words": [["the end", ""], *map(shown, known[1:])],
            "next": {" ".join(str(place[word]) for word in words):
                     [[place[word], round(log, 6)] for word, log in row.items()]
                     for words, row in kept.items()}}


# Alignment ----------------------------------------------------------------------------


def alignment():
    """What the figures of chapters 07 and 08 need, as a dict."""
    stored = {name: runtime.results(f"map-{name}")[0]["result"] for name in MODELS}
    examples = maps.chosen()
    for name, one in stored.items():
        if one["sentences"] != [" ".join(example.source) for example in examples]:
            raise ValueError(f"map-{name} has other sentences than the corpus has now")
    sizes = [size for size, group in by_length(
        [example.length for example in examples]).items() for _ in group]
    return {"sizes": SIZES, "content": {name: content(name) for name in MODELS},
            "start": next(n for n, one in enumerate(examples) if "that" in one.source
                          and 9 <= one.length <= 10),    # what chapter 07 draws
            "sentences": [sentence(n, example, sizes[n], stored)
                          for n, example in enumerate(examples)]}


def content(name):
    """The recall of content words at each length, in percent, mean of three seeds."""
    records = runtime.results(MODELS[name])[:SEEDS]
    rows = [record["result"]["by length"] for record in records]
    return [round(sum(row[size]["content"][0] for row in rows) / len(rows), 3)
            for size in SIZES]


def sentence(number, example, size, stored):
    """One sentence: its words, pieces and gold links, and each model's part of it."""
    written = {name: one["written"][number].split() for name, one in stored.items()}
    return {"source": example.source, "size": size,
            "pieces": [*map(list, zip(map(corpus.romanise, example.target),
                                      corpus.gloss(example.target)))],
            "links": [*map(list, example.links)],
            "right": corpus.join(example.target),
            "written": {name: told(example, line) for name, line in written.items()},
            "weights": {name: one["weights"][number] for name, one in stored.items()
                        if "weights" in one}}


def told(example, line):
    """What a model wrote: its text, [found, all] content words, and what was lost."""
    [counts] = found_content([example], [line])
    left, lost = Counter(line), []
    for form, kind, meaning in zip(example.target, example.kinds,
                                   corpus.gloss(example.target)):
        if kind and left[form] < 1:
            lost.append(meaning)
        left[form] -= kind is not None
    return {"text": corpus.join(line), "content": list(counts), "lost": lost}


if __name__ == "__main__":
    with script():
        write_figures(sys.argv[1])
