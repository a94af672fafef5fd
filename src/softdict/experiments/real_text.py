"""How good are models that were trained on Multi30k: scores, translations, lengths.

`python -m softdict.experiments.real_text FOLDER... --data-dir DIR` reads folders that
`python -m softdict train --data multi30k` made, and writes a small result of each. What
can be chosen (beam size, length penalty) is chosen on `val`; each test is translated
once. For the scale of published numbers it needs spaCy and sacremoses. With
`--counts FILE` it counts words instead, and what a split by lines would leak of FILE,
pairs of Tatoeba; with `--pace` it times updates on this machine.
"""

import argparse
import datetime
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from dataclasses import astuple
from importlib import metadata
from pathlib import Path

import torch

from softdict.batches import epoch_batches, padded
from softdict.decoding import beam_search, translation_weights
from softdict.experiments.runner import RESULTS, hardware, rounded, versions
from softdict.runtime import device
from softdict.saving.folder import HISTORY, FolderConfig, load_folder
from softdict.saving.recipes import real_text_recipe
from softdict.scoring import bleu, by_length, chrf, sacre
from softdict.subwords import subword_data
from softdict.texts.files import read_lines, write_whole
from softdict.texts.own_text import read_pairs, split_words
from softdict.texts.real_text import leak, multi30k, split_by_source
from softdict.training import TrainingState, update

REAL = RESULTS.parent / "real_text"
TESTS = "test_2016_flickr", "test_2017_flickr"
CHOICES = [(1, 0.6), (5, 0.6), (5, 1.0)]    # beam size, length penalty
BINS = [(1, 8), (9, 12), (13, 16), (17, 24), (25, 60)]    # words of the source
QUOTED = 40    # translations that are kept: short quotations


def translations(saved, sources, beam_size, length_penalty, size=50):
    """The best translation of each text, from a beam search."""
    written, device = {}, next(saved.model.parameters()).device
    ids = [saved.source_vocab.ids(saved.tokenize(text)) for text in sources]
    order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
    for start in range(0, len(order), size):
        chosen = order[start:start + size]
        rows = [ids[number] for number in chosen]
        found = beam_search(saved.model, padded(rows).to(device),
                            torch.tensor(list(map(len, rows))), beam_size,
                            length_penalty)
        for number, best in zip(chosen, found):
            written[number] = saved.join(saved.target_vocab.tokens(best[0].ids))
    return [written[number] for number in range(len(ids))]


# Scores


def tokenised(texts, language):
    """Lower-cased words as published scores count them: spaCy's for English, Moses's
    for German."""
    if language == "en":
        import spacy

        cut = spacy.blank("en").tokenizer
        return [[word.text.lower() for word in cut(text) if not word.is_space]
                for text in texts]
    from sacremoses import MosesTokenizer

    cut = MosesTokenizer(language).tokenize
    return [[word.lower() for word in cut(text, escape=False)] for text in texts]


def scores(hypotheses, references, language):
    """Each measure as value, low and high of its interval, and signature."""
    from sacrebleu.metrics import BLEU

    cased, cased_signature = sacre(BLEU(), hypotheses, references, 1000)
    lower, lower_signature = sacre(BLEU(lowercase=True), hypotheses, references, 1000)
    words, words_signature = bleu(tokenised(hypotheses, language),
                                  tokenised(references, language))
    letters, letters_signature = chrf(hypotheses, references)
    return {"cased": [*astuple(cased), cased_signature],
            "lower-cased": [*astuple(lower), lower_signature],
            "tokenised": [*astuple(words), words_signature],
            "chrf": [*astuple(letters), letters_signature]}


def quick_bleu(hypotheses, references):
    """Cased BLEU without its interval, to choose by."""
    from sacrebleu import corpus_bleu

    return corpus_bleu(hypotheses, [references]).score


def bleu_counts(hypotheses, references):
    """What cased BLEU adds up, a line of whole numbers for each sentence: length of
    hypothesis and reference, runs of words that are right, runs that there are."""
    from sacrebleu.metrics import BLEU

    rows = BLEU()._extract_corpus_statistics(hypotheses, [references])
    return [" ".join(map(str, row)) for row in rows]


def compared(one, other):
    """Paired bootstrap (Koehn 2004) of two systems, each with its `bleu_counts`.

    in how many of 1,000 draws the second has the higher cased BLEU, as a share, and
    the median and the interval of the differences
    """
    from sacrebleu.metrics import BLEU
    import numpy

    counts = [numpy.array([list(map(int, line.split())) for line in lines])
              for lines in (one, other)]
    draws = numpy.random.default_rng(0).integers(len(one), size=(1000, len(one)))
    gains = []
    for draw in draws:
        first, second = (BLEU()._compute_score_from_stats(
            part[draw].sum(axis=0).tolist()).score for part in counts)
        gains.append(second - first)
    return {"wins": sum(gain > 0 for gain in gains) / len(gains),
            "gain": statistics.median(gains),
            "interval": numpy.quantile(gains, [0.025, 0.975]).tolist()}


# Words, and what a split by lines leaks


def counts(data_dir, tatoeba_file):
    """How many words a vocabulary of the training misses in the test; leaks."""
    train, test = (list(zip(*multi30k(split, "de", "en", data_dir)))
                   for split in ("train", TESTS[0]))
    words = {language: missed([split_words(text) for text in train[side]],
                              [split_words(text) for text in test[side]])
             for side, language in enumerate(("German", "English"))}
    pairs, _ = read_pairs(tatoeba_file, str.strip)
    shuffled = random.Random(0).sample(pairs, len(pairs))
    tenth = len(pairs) // 10
    return {"words": words, "file": Path(tatoeba_file).name, "pairs": len(pairs),
            "leak": {"by lines": leak(shuffled[tenth:], shuffled[:tenth]),
                     "by source": leak(*split_by_source(pairs))}}


def missed(training, test):
    """Of sentences as lists of words: different words, the share seen once; of the
    test the shares of words, and of sentences with one, seen less than twice."""
    known = Counter(word for sentence in training for word in sentence)
    flags = [[known[word] < 2 for word in sentence] for sentence in test]
    return {"different": len(known),
            "once": sum(count == 1 for count in known.values()) / len(known),
            "unknown": sum(map(sum, flags)) / sum(map(len, flags)),
            "sentences": sum(map(any, flags)) / len(flags)}


# Seconds


def pace(data_dir, count=30):
    """Seconds of an update of the Transformer on this machine: a median."""
    data, _ = subword_data(*(multi30k(split, "de", "en", data_dir)
                             for split in ("train", "val")))
    options, settings = real_text_recipe("transformer")
    config = FolderConfig("transformer", options, vocabulary="pieces")
    vocab = data[2]
    model = config.build(len(vocab), len(vocab)).to(device())
    state = TrainingState(model, settings)
    ids = [tuple(map(vocab.ids, pair)) for pair in data[0]]
    seconds = []
    for batch in epoch_batches(ids, settings.batch_size, 0, 0)[:count]:
        begin = time.perf_counter()
        state.history.append(update(state, batch.to(device())))
        seconds.append(time.perf_counter() - begin)
    return {"seconds an update": statistics.median(seconds), "updates": count,
            "batch": settings.batch_size, "planned": settings.updates,
            "pairs": len(ids), "hardware": hardware(), "versions": versions()}


# The result of a folder


def history_of(folder):
    """What a training kept of each update; ValueError where the file is damaged."""
    history = []
    for number, line in enumerate(read_lines(Path(folder) / HISTORY), start=1):
        try:
            history.append(json.loads(line))
            history[-1]["loss"] + 0
        except (LookupError, TypeError, ValueError):
            raise ValueError(f"{HISTORY}, line {number}: this is no record of an "
                             "update; train again") from None
    return history


def result(folder, data_dir):
    """All that is kept of one trained model, and its translations of the tests."""
    saved, begin = load_folder(folder), time.time()
    name, languages = Path(folder).name, re.search(r"(\w\w)-(\w\w)$", folder).groups()
    history = history_of(folder)
    splits = {split: list(zip(*multi30k(split, *languages, data_dir)))
              for split in ("val", *TESTS)}
    tried = {f"beam {size}, penalty {penalty}": quick_bleu(
        translations(saved, splits["val"][0], size, penalty), splits["val"][1])
        for size, penalty in CHOICES}
    size, penalty = CHOICES[list(tried.values()).index(max(tried.values()))]
    written = {split: translations(saved, splits[split][0], size, penalty)
               for split in TESTS}
    sources, references = splits[TESTS[0]]
    groups = by_length([len(text.split()) for text in sources], BINS)
    asked = saved.tokenize(sources[QUOTED])
    answer = saved.tokenize(written[TESTS[0]][QUOTED])
    config = saved.config
    record = {
        "experiment": name, "seed": config.settings["seed"],
        "date": datetime.date.today().isoformat(), "model": config.model,
        "options": config.options, "settings": config.settings,
        "languages": languages, "hardware": hardware(),
        "versions": versions() | {part: metadata.version(part) for part in
                                  ("tokenizers", "spacy", "sacremoses")},
        "parameters": sum(part.numel() for part in saved.model.parameters()),
        "pieces": len(saved.target_vocab),
        "first": [line["loss"] for line in history[:5]],
        "loss": [line["loss"] for line in history[9::20]],
        "validation": [(number, line["validation loss"])
                       for number, line in enumerate(history, start=1)
                       if "validation loss" in line],
        "chosen": {"tried on val": tried, "beam size": size, "penalty": penalty},
        "scores": {split: scores(written[split], splits[split][1], languages[1])
                   for split in TESTS},
        "counts": bleu_counts(written[TESTS[0]], references),
        "by length": {label: {"sentences": len(group), "cased": quick_bleu(
            [written[TESTS[0]][n] for n in group], [references[n] for n in group])}
            for label, group in groups.items()},
        "translations": list(zip(sources, references, written[TESTS[0]]))[:QUOTED],
        "looks": {"source": asked, "written": answer,
                  "weights": translation_weights(
                      saved.model, asked, answer, saved.source_vocab,
                      saved.target_vocab).tolist()},
        "seconds of scoring": round(time.time() - begin)}
    return record


def others(record):
    """The results that come with the package of other models with the same target."""
    for file in sorted(REAL.glob("*.[0-9].json")):
        other = json.loads(file.read_text(encoding="utf-8"))
        if (other["languages"][1] == record["languages"][1] and "counts" in other
                and file.stem != name_of(record)):
            yield other


def name_of(record):
    return f"{record['experiment']}.{record['seed']}"


def main(arguments=None):
    """Scores the folders that the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m softdict.experiments.real_text",
                                     description=__doc__)
    parser.add_argument("folders", nargs="*", metavar="FOLDER",
                        help="as train made it; its name ends in de-en or such")
    parser.add_argument("--data-dir", help="where the files of Multi30k are")
    parser.add_argument("--counts", metavar="FILE", help="a file of manythings.org")
    parser.add_argument("--pace", action="store_true", help="time some updates")
    asked = parser.parse_args(arguments)
    torch.set_num_threads(1)
    REAL.mkdir(exist_ok=True)
    try:
        if asked.counts:
            keep("counts", counts(asked.data_dir, asked.counts))
        if asked.pace:
            keep("pace", pace(asked.data_dir))
        for folder in asked.folders:
            keep_result(folder, asked.data_dir)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def keep_result(folder, data_dir):
    """Writes the result of a trained folder, compared with all that are there."""
    record = result(folder, data_dir)
    record["compared"] = {name_of(other): compared(other["counts"], record["counts"])
                          for other in others(record)}
    keep(name_of(record), record)


def keep(name, record):
    """Writes a record among the package's assets."""
    file = REAL / f"{name}.json"
    write_whole(file, (json.dumps(rounded(record), ensure_ascii=False, indent=1)
                       + "\n").encode("utf-8"))
    print(file)


if __name__ == "__main__":
    sys.exit(main())
