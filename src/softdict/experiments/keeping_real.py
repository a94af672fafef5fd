"""Which checkpoint to keep, on Multi30k: by loss, BLEU or chrF on its `val`?

`python -m softdict.experiments.keeping_real --data-dir DIR --seed 0` trains a small
Transformer from English to German, as chapter 19's, with a dropout of .1 in place of
.3: with .3 its loss on `val` falls to the last update, and nothing is to be chosen. Its
two languages have a table each. The question is that of `softdict.experiments.keeping`:
which checkpoint translates the test best, that of the lowest loss, of the highest BLEU,
of the highest chrF on `val`, or the last? And do translations get worse where the loss
rises? The measures, after every 250 updates, on `val` and on `test_2016_flickr`,
written greedily: loss, its parts, BLEU and chrF (cased). The rate falls with the
inverse root. A stopped training goes on from its checkpoint with the same command.
"""

import argparse
import datetime
import sys
from dataclasses import asdict, replace

import torch
from sacrebleu.metrics import BLEU

from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments.keeping import by_measure, certainty
from softdict.experiments.real_text import TESTS, keep
from softdict.experiments.runner import UNFINISHED, hardware, versions
from softdict.saving.recipes import RECIPES, real_text_recipe
from softdict.scoring import chrf, sacre
from softdict.subwords import subword_data
from softdict.texts.files import alone
from softdict.texts.real_text import multi30k
from softdict.training import TrainingState, token_loss, train
from softdict.vocab import PAD

LANGUAGES = "en", "de"
OPTIONS = {"width": 128, "hidden": 256, "heads": 4, "layers": 4, "dropout": 0.1}
SETTINGS = replace(real_text_recipe("transformer")[1], updates=4000, peak_rate=5e-3,
                   schedule="inverse_sqrt")
SLICE = 100    # sentences that are measured at once


def start(data_dir, seed):
    """The model in training, its vocabulary, pieces, and pairs by split."""
    texts = {split: multi30k(split, *LANGUAGES, data_dir)
             for split in ("train", "val", TESTS[0])}
    data, pieces = subword_data(texts["train"], texts["val"])
    training_pairs, _, vocab = data[:3]
    runtime.seed(seed)
    model = RECIPES["transformer"].build(len(vocab), len(vocab), **OPTIONS)
    state = TrainingState(model.to(runtime.device()), replace(SETTINGS, seed=seed),
                          vocab.fingerprint())
    return state, vocab, pieces, texts, [tuple(map(vocab.ids, pair))
                                         for pair in training_pairs]


def measured(model, texts, vocab, pieces):
    """Loss, its parts, and how good the translations of a split are."""
    ids = [tuple(vocab.ids(pieces.tokenize(text)) for text in pair) for pair in texts]
    order = sorted(range(len(ids)), key=lambda number: len(ids[number][0]))
    logits, target, written = [], [], {}
    for begin in range(0, len(order), SLICE):
        numbers = order[begin:begin + SLICE]
        batch = make_batch([ids[number] for number in numbers]).to(
            next(model.parameters()).device)
        real = batch.target_out != PAD
        logits.append(model(batch.source, batch.source_lengths, batch.target_in)[real])
        target.append(batch.target_out[real])
        rows = greedy(model, batch.source, batch.source_lengths)
        written |= {number: pieces.join(vocab.tokens(row))
                    for number, row in zip(numbers, rows)}
    logits, target = torch.cat(logits)[None], torch.cat(target)[None]
    lines = [written[number] for number in range(len(ids))]
    gold = [reference for _, reference in texts]
    return {"loss": token_loss(logits, target).item(), **certainty(logits, target),
            "bleu": sacre(BLEU(), lines, gold, 1)[0].value,
            "chrf": chrf(lines, gold, 1)[0].value}


def result(data_dir, seed, path):
    """Losses of the training, and the numbers of all checkpoints."""
    state, vocab, pieces, texts, pairs = start(data_dir, seed)

    def evaluate(model):
        return {split: measured(model, texts[split], vocab, pieces)
                for split in ("val", TESTS[0])}

    history = train(state, pairs, evaluate, path)
    return {"parameters": sum(part.numel() for part in state.model.parameters()),
            "first": [record["loss"] for record in history[:5]],
            "loss": [record["loss"] for record in history[9::20]],
            **by_measure(history, "val", TESTS[0])}


def main(arguments=None):
    """Trains with one seed and keeps its result; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m softdict.experiments.keeping_real", description=__doc__)
    parser.add_argument("--data-dir", help="where the files of Multi30k are")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    name = f"keeping-{asked.seed}"
    path = UNFINISHED / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with alone(path):
            found = result(asked.data_dir, asked.seed, path)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    keep(name, {"seed": asked.seed, "date": datetime.date.today().isoformat(),
                "options": OPTIONS, "settings": asdict(replace(SETTINGS,
                                                               seed=asked.seed)),
                "hardware": hardware(), "versions": versions(), **found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
