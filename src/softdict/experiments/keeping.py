"""Which checkpoint to keep: by loss, BLEU or chrF on held-out sentences?

The question: a model learns few pairs by heart, and its loss on fresh sentences turns
and rises. Do its translations get worse as well? And which checkpoint translates the
test best: that of the lowest loss, of the highest BLEU or of the highest chrF on
`valid`, or the last? The measures, after every 50 updates, on 400 sentences of `valid`
and 400 of `iid`: loss, BLEU, chrF, exact. The loss is taken apart by whether the
likeliest word is the right one, after the right words: how many are, and in both cases
the mean log-probability of the right word and the entropy of the choice. If the loss
rises though more words are right, then the wrong ones have become more certain. The
model is chapter 05's, on short sentences, and once the book's Transformer. Its rate
falls with the inverse root and never to 0, so that no checkpoint is favoured by
standing at the end.
"""

from dataclasses import replace
from functools import partial

from softdict import runtime
from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.experiments import sentences
from softdict.experiments.runner import Experiment
from softdict.saving.recipes import RECIPES, vocabs
from softdict.scoring import bleu, chrf, exact_match_scores
from softdict.training import Settings, TrainingState, token_loss, train
from softdict.vocab import PAD

LONGEST = 12    # English words
UPDATES = {300: 750, 1000: 1000, 3000: 1500}    # by the number of pairs
SETTINGS = Settings(warmup=100, schedule="inverse_sqrt", interval=50)
RATES = {"rnn": 4e-3, "transformer": 2e-3}    # at their peak


def short(name):
    """The examples of a split that are short."""
    return [example for example in sentences.split(name) if example.length <= LONGEST]


def ids(examples):
    """(source ids, target ids) of each example."""
    source_vocab, target_vocab = vocabs()
    return [(source_vocab.ids(e.source, "UNK"), target_vocab.ids(e.target, "UNK"))
            for e in examples]


def start(count, name, seed):
    """One of the book's models in training, and the first short pairs."""
    source_vocab, target_vocab = vocabs()
    runtime.seed(seed)
    model = RECIPES[name].build(len(source_vocab), len(target_vocab))
    settings = replace(SETTINGS, updates=UPDATES[count], peak_rate=RATES[name],
                       seed=seed)
    state = TrainingState(model.to(runtime.device()), settings,
                          target_vocab.fingerprint())
    return state, ids(short("train")[:count])


def first(count, name, seed):
    """The losses of the first five updates."""
    state, pairs = start(count, name, seed)
    state.settings = replace(state.settings, updates=5)
    return [record["loss"] for record in train(state, pairs)]


def result(count, name, seed, path):
    """By split and measure the numbers of all checkpoints, and the updates of each."""
    state, pairs = start(count, name, seed)
    history = train(state, pairs, evaluate, path)
    return {"history": history, **by_measure(history, "valid", "iid")}


def by_measure(history, *splits):
    """What a history kept of its checkpoints: their updates, and by split and measure
    the numbers of all."""
    kept = [(step, record) for step, record in enumerate(history, 1)
            if splits[0] in record]
    return {"updates": [step for step, _ in kept],
            **{split: {measure: [record[split][measure] for _, record in kept]
                       for measure in kept[0][1][split]} for split in splits}}


def evaluate(model):
    """All measures of a model on both splits."""
    return {name: measured(model, short(name)) for name in ("valid", "iid")}


def measured(model, examples):
    """Loss, its parts, and how good the translations are."""
    batch = make_batch(ids(examples)).to(next(model.parameters()).device)
    logits = model(batch.source, batch.source_lengths, batch.target_in)
    lines = [vocabs()[1].tokens(row)
             for row in greedy(model, batch.source, batch.source_lengths, 40)]
    gold = [example.target for example in examples]
    return {"loss": token_loss(logits, batch.target_out).item(),
            **certainty(logits, batch.target_out),
            "bleu": bleu(lines, gold, rounds=1)[0].value,
            "chrf": chrf(map(sentences.join, lines), map(sentences.join, gold),
                         rounds=1)[0].value,
            "exact": 100 * sum(exact_match_scores(lines, gold)) / len(gold)}


def certainty(logits, target):
    """Share of words whose likeliest word is right, of 1; in both cases the mean
    log-probability of the right word and the entropy of the choice, in nats.

    logits [B, T, V], target [B, T]
    """
    real = target != PAD                                      # [B, T]
    logs = logits[real].log_softmax(dim=-1)                   # [N, V]
    gold = target[real]                                       # [N]
    right = logs.argmax(dim=-1) == gold                       # [N]
    own = logs.gather(-1, gold[:, None])[:, 0]                # [N]
    entropy = -(logs.exp() * logs).sum(dim=-1)                # [N]
    return {"right": right.cpu().double().mean().item(),
            "log p, right": own[right].mean().item(),
            "log p, wrong": own[~right].mean().item(),
            "entropy, right": entropy[right].mean().item(),
            "entropy, wrong": entropy[~right].mean().item()}


EXPERIMENTS = [
    Experiment(f"keeping-{label}", "keeping", partial(first, count, name),
               partial(result, count, name))
    for label, count, name in ((300, 300, "rnn"), (1000, 1000, "rnn"),
                               (3000, 3000, "rnn"),
                               ("transformer", 1000, "transformer"))]
