"""Systems that translate the corpus, measured by sentence length and on every held-out split."""

from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace
from functools import cache, partial

import torch
from torch import nn

from softdict.attention import Additive, General, scaled_dot
from softdict.baselines import (
    likely_dictionary, linked_dictionary, nearest_sentence, place_counts, place_links, skeleton, soft_links,
    translation_table, word_for_word)
from softdict.batches import make_batch, padded
from softdict.decoding import greedy
from softdict.experiments import sentences
from softdict.experiments.frame import SEEDS, Experiment, trained
from softdict.experiments.padding import PadsBehind, PadsInFront, pads_and_states
from softdict.experiments.replaced import Replaced, heaviest, instead, uniform
from softdict.runtime import device, seed as start_chance
from softdict.scoring import (
    alignment_error_rate, best_links, bleu, by_length, chrf, content_shares, exact_matches, heaviest_links, hits,
    masses, share)
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq, last_state, source_weights
from softdict.training import Settings, Training, token_loss
from softdict.transformer import all_weights, book_transformer
from softdict.vocab import BOS, PAD, Vocab


# How good translations are

def quality(examples, hypotheses):
    """Five measures of translations, each with the ends of its interval, and what sacrebleu signs them with."""
    references = [example.target for example in examples]
    flags = [[kind is not None for kind in example.kinds] for example in examples]
    found, wanted = zip(*content_shares(hypotheses, references, flags))
    words, words_signature = bleu(hypotheses, references)
    letters, letters_signature = chrf(map(sentences.join, hypotheses), map(sentences.join, references))
    endings = [line[-1:] == reference[-1:] for line, reference in zip(hypotheses, references)]
    measures = {"exact": share(exact_matches(hypotheses, references)), "content": share(found, wanted),
                "bleu": words, "chrf": letters, "ending": share(endings)}
    return {"sentences": len(examples), "signatures": [words_signature, letters_signature],
            **{name: astuple(value) for name, value in measures.items()}}


def report(translate):
    """Quality by length, and on every held-out split; translate(examples) gives a list of morphemes for each."""
    known = {name: sentences.split(name) for name in sentences.HELD_OUT}
    written = {name: translate(examples) for name, examples in known.items()}
    by_size = known["iid"] + known["long"]
    bins = by_length([example.length for example in by_size])
    lines = written["iid"] + written["long"]
    return {
        "by length": {name: quality([by_size[n] for n in group], [lines[n] for n in group])
                      for name, group in bins.items()},
        "splits": {name: quality(known[name], written[name]) for name in sentences.HELD_OUT},
        "samples": [[" ".join(example.source), sentences.join(line), sentences.join(example.target)]
                    for example, line in list(zip(by_size, lines))[::100]]}


# What a model must beat

def word_for_word_with_links(examples, count=None):
    train = sentences.split("train")[:count]
    dictionary = linked_dictionary([(e.source, e.target) for e in train], [e.links for e in train])
    return [word_for_word(example.source, dictionary) for example in examples]


@cache
def ibm(count):
    """IBM model 1 of the first pairs of the training split: its table, and its vocabularies."""
    train = sentences.split("train")[:count]
    vocabs = Vocab(e.source for e in train), Vocab(e.target for e in train)
    ids = [(vocabs[0].ids(e.source), vocabs[1].ids(e.target)) for e in train]
    return translation_table(ids, *map(len, vocabs)), *vocabs


def word_for_word_with_ibm(examples, count=None):
    dictionary = likely_dictionary(*ibm(count))
    return [word_for_word(example.source, dictionary) for example in examples]


def nearest(examples, count=None):
    train = sentences.split("train")[:count]
    return nearest_sentence([e.source for e in examples], [e.source for e in train], [e.target for e in train])


def random_content(examples, count=None, seed=0):
    return [skeleton(example.target, example.kinds, sentences.pool(), seed) for example in examples]


def baseline(name, translate, seeds=(0,)):
    """An experiment without training; its five numbers come from the first 500 pairs."""
    def first(seed):
        examples = sentences.split("iid")[:5]
        shares = content_shares(translate(examples, 500), [e.target for e in examples],
                                [[kind is not None for kind in e.kinds] for e in examples])
        return [found / wanted for found, wanted in shares]

    return Experiment(name, "baselines", first, lambda seed, path: report(translate), seeds)


# What the weights of a model must beat, where they are read as links

def ibm_links(examples, count=None):
    """IBM model 1 as weights [T, S] for each example: which source word made which target word."""
    table, source_vocab, target_vocab = ibm(count)
    return [soft_links(table, torch.tensor([BOS] + source_vocab.ids(e.source, "UNK")),
                       torch.tensor(target_vocab.ids(e.target, "UNK")))[:, 1:] for e in examples]


def links_by_place(examples, count=None):
    """Weights [T, S] for each example from places and lengths alone, learned from gold links."""
    train = sentences.split("train")[:count]
    counts = place_counts([(e.source, e.target) for e in train], [e.links for e in train])
    return [place_links(counts, len(e.source), len(e.target)) for e in examples]


def best_single_links(examples, count=None):
    """The best that weights can do if each target word is given one link."""
    return list(map(one_link_each, examples))


def one_link_each(example):
    """Weights [T, S] that are 1 for a gold link of each target word, 0 elsewhere."""
    rows = torch.zeros(len(example.target), len(example.source))    # [T, S]
    for i, j in best_links(example.links, example.possible):
        rows[j, i] = 1.0
    return rows


def aligner(name, draw):
    """An experiment without training; its five numbers come from the first 500 pairs."""
    def first(seed):
        examples = sentences.split("iid")[:5]
        return [found / wanted for found, wanted in masses(draw(examples, 500), [e.links for e in examples])]

    def result(seed, path):
        examples = sentences.split("iid")
        return {"alignment": aligned(examples, draw(examples))}

    return Experiment(name, "aligners", first, result, (0,))


# Models

@cache
def vocabs(count):
    """Vocabularies of the first pairs of the training split."""
    train = sentences.split("train")[:count]
    return Vocab(e.source for e in train), Vocab(e.target for e in train)


def the_last(width):
    """The control's context: it never looks again."""
    return last_state


def look(width):
    """A context by dot products, which has nothing of its own to learn."""
    return Attend()


def look_scaled(width):
    """The same over the root of the width."""
    return Attend(scaled_dot)


def look_general(width):
    """A context by a learned question."""
    return Attend(General(width, width))


def look_additive(width):
    """A context by a small network, with its keys made once."""
    return Attend(Additive(width, width), nn.Linear(width, width, bias=False))


def look_evenly(width):
    """The mean of all states: a look that asks nothing."""
    return Replaced(Attend(), uniform)


def unfed(*sizes, **named):
    """The decoder without input feeding."""
    return LuongDecoder(*sizes, **named, feed=False)


@dataclass(frozen=True)
class System:
    """One way to make and train a recurrent translator; what is not said is as in the book's control."""

    width: int = 192
    updates: int = 2000
    pairs: int = 20_000
    reverse: bool = False
    teacher_forcing: float = 1.0
    peak_rate: float = 6e-3    # of those in "rates" the best on the split that is for choosing, as in the systems below
    encoder: type = Encoder
    decoder: Callable = Decoder
    context: Callable = the_last    # makes a context for a width
    warmup: int = 0
    smoothing: float = 0.0

    def ids(self, examples):
        """Source and target ids of each example, the source as the encoder reads it; unknown words are UNK."""
        source_vocab, target_vocab = vocabs(self.pairs)
        way = -1 if self.reverse else 1
        return [(source_vocab.ids(e.source[::way], "UNK"), target_vocab.ids(e.target, "UNK")) for e in examples]

    def model(self, source_words, target_words):
        """An untrained model for vocabularies of these sizes."""
        encoder = self.encoder(source_words, width=self.width)
        return Seq2Seq(encoder, self.decoder(target_words, width=self.width, context=self.context(self.width)))

    def start(self, seed):
        """An untrained model in training, and its pairs."""
        source_vocab, target_vocab = vocabs(self.pairs)
        start_chance(seed)
        model = self.model(len(source_vocab), len(target_vocab))
        settings = Settings(updates=self.updates, peak_rate=self.peak_rate, seed=seed,
                            teacher_forcing=self.teacher_forcing, warmup=self.warmup, smoothing=self.smoothing)
        fingerprint = f"{source_vocab.fingerprint()} {target_vocab.fingerprint()}"
        return Training(model.to(device()), settings, fingerprint), self.ids(sentences.split("train")[:self.pairs])

    def finish(self, training):
        """Everything that is measured once a model is trained."""
        model = training.model
        return {"parameters": sum(part.numel() for part in model.parameters()),
                **report(partial(translations, self, model)), "accuracy": accuracies(self, model),
                "agreement": agreement(self, model), "states after pads": pads_and_states(0, model=model),
                **({} if self.context is the_last else {"alignment": alignment(self, model),
                                                        "replaced": replacements(self, model)})}

    def validate(self, training):
        """What a learning rate is chosen by: the loss and the quality on the split that is for choosing."""
        examples = sentences.split("valid")
        logits, batch = scores(self, training.model, examples)
        return {"loss on valid": token_loss(logits, batch.target_out).item(),
                "valid": quality(examples, translations(self, training.model, examples))}


@dataclass(frozen=True)
class Stack(System):
    """A Transformer, with options other than those of the book's."""

    options: dict = field(default_factory=dict)

    def model(self, source_words, target_words):
        """An untrained Transformer for vocabularies of these sizes."""
        return book_transformer(source_words, target_words, **self.options)

    @torch.no_grad()
    def finish(self, training):
        """What is measured once a Transformer is trained."""
        model, examples = training.model, sentences.split("iid")
        logits, batch = scores(self, model, examples)
        real = batch.target_out != PAD    # [B, T]
        maps = all_weights(model, batch.source, batch.source_lengths, batch.target_in)[2]
        mean = torch.stack(maps).mean(dim=(0, 2)).cpu()    # [B, T, S]
        return {"parameters": sum(part.numel() for part in model.parameters()),
                **report(partial(translations, self, model)), "agreement": agreement(self, model),
                "told": (logits.argmax(dim=-1) == batch.target_out)[real].double().mean().item(),
                # row t predicts word t; the row behind it reads word t
                "alignment": aligned(examples, list(mean)), "alignment reading": aligned(examples, list(mean[:, 1:]))}


def translations(system, model, examples, size=128):
    """Greedy translations; the longest sentences first, then put back in order."""
    ids = [source for source, _ in system.ids(examples)]
    order = sorted(range(len(ids)), key=lambda n: -len(ids[n]))
    lines = {}
    for start in range(0, len(order), size):
        group = order[start:start + size]
        source = padded([ids[n] for n in group]).to(next(model.parameters()).device)
        lines |= zip(group, greedy(model, source, torch.tensor([len(ids[n]) for n in group])))
    return [vocabs(system.pairs)[1].tokens(lines[n]) for n in range(len(ids))]


@torch.no_grad()
def scores(system, model, examples, teacher_forcing=1.0):
    """Logits [B, T, V] of the target words of all examples in one batch, and the batch."""
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    return model(batch.source, batch.source_lengths, batch.target_in, teacher_forcing), batch


def accuracies(system, model):
    """Share of right words by place in the target, after the right words ("told") or after the model's own."""
    table = {}
    for name, ratio in (("told", 1.0), ("own", 0.0)):
        logits, batch = scores(system, model, sentences.split("iid"), ratio)
        real = batch.target_out != PAD                                # [B, T]
        right = (logits.argmax(dim=-1) == batch.target_out) & real    # [B, T]
        table[name] = (right.sum() / real.sum()).item()
        table[f"{name} by place"] = (right.sum(dim=0) / real.sum(dim=0)).tolist()[:40]
    return table


def agreement(system, model):
    """Share of twins, one subject honoured and one not, where the right morpheme beats that of the twin."""
    examples = sentences.split("agree")
    logits, batch = scores(system, model, examples)
    right = []
    for n, (scored, own) in enumerate(zip(logits, examples)):
        wrong = batch.target_out[n ^ 1, examples[n ^ 1].spot]    # n ^ 1: 0 and 1 are twins, 2 and 3, ...
        right.append(bool(scored[own.spot, batch.target_out[n, own.spot]] > scored[own.spot, wrong]))
    return astuple(share(right))


@torch.no_grad()
def alignment(system, model):
    """How well the weights agree with the gold links, by length: error rate, and hits and mass on sure links."""
    examples = sentences.split("iid")
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    weights = list(source_weights(model, batch.source, batch.source_lengths, batch.target_in).cpu())
    return aligned(examples, weights)


def aligned(examples, weights):
    """The same three measures for weights of any kind: for each example a tensor, rows for target words."""
    table = {}
    for size, group in by_length([example.length for example in examples]).items():
        rows, sure, possible = zip(*((weights[n], examples[n].links, examples[n].possible) for n in group))
        drawn = [heaviest_links(row, links) for row, links in zip(rows, possible)]
        table[size] = {"error": astuple(alignment_error_rate(drawn, sure, possible)),
                       "hits": astuple(share(*zip(*hits(rows, sure)))), "mass": astuple(share(*zip(*masses(rows, sure))))}
    return table


def replacements(system, model):
    """What becomes of a trained model whose weights are exchanged for others, in training's way and in free running."""
    examples = sentences.split("iid")
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    linked = torch.zeros_like(batch.target_out, dtype=torch.bool)    # [B, T]
    gold = torch.zeros(*batch.target_out.shape, batch.source.shape[1], device=linked.device)    # [B, T, S]
    for n, example in enumerate(examples):
        for i, j in example.links:
            linked[n, j], gold[n, j, i] = True, 1.0
    gold /= gold.sum(dim=-1, keepdim=True).clamp_min(1.0)

    own, table = model.decoder.context, {}
    for name, change in (("own", None), ("uniform", uniform), ("heaviest", heaviest), ("gold", instead(gold))):
        model.decoder.context = Replaced(own, change) if change else own
        right = (scores(system, model, examples)[0].argmax(dim=-1) == batch.target_out)    # [B, T]
        table[name] = {"linked": 100 * right[linked].double().mean().item(),
                       "others": 100 * right[~linked & (batch.target_out != PAD)].double().mean().item()}
        if name != "gold":    # nobody knows the gold links of what a model writes by itself
            table[name]["free"] = quality(examples, translations(system, model, examples))
    model.decoder.context = own
    return table


ATTENTION = System(decoder=LuongDecoder, context=look, peak_rate=2e-3)
KINDS = {"scaled": replace(ATTENTION, context=look_scaled, peak_rate=4e-3),
         "general": replace(ATTENTION, context=look_general),
         "additive": replace(ATTENTION, context=look_additive)}
BEFORE = {"general": System(context=look_general, peak_rate=2e-3),
          "additive": System(context=look_additive, peak_rate=3e-3)}
SYSTEMS = {
    "length": {"rnn": System(), "rnn-reversed": System(reverse=True), "rnn-wide": System(width=384, peak_rate=2e-3),
               "rnn-1k": System(pairs=1000), "rnn-5k": System(pairs=5000)},
    "longer": {"rnn-long": System(updates=8000)},
    "forcing": {"rnn-forced-75": System(teacher_forcing=0.75), "rnn-forced-50": System(teacher_forcing=0.5)},
    "looks": {"attention": ATTENTION, "attention-control": System(decoder=LuongDecoder),
              "attention-mean": replace(ATTENTION, context=look_evenly)},
    "scores": {**{f"attention-{kind}": system for kind, system in KINDS.items()},
               **{f"unfed-{kind}": replace(system, decoder=unfed) for kind, system in KINDS.items()},
               "unfed-dot": replace(ATTENTION, decoder=unfed),
               **{f"before-{kind}": system for kind, system in BEFORE.items()}},
    "padding": {"rnn-pads-behind": System(encoder=PadsBehind), "rnn-pads-in-front": System(encoder=PadsInFront)},
}
BOOK = Stack(peak_rate=2e-3)
SYSTEMS["transformers"] = {"transformer": BOOK, "transformer-rotary": replace(BOOK, options={"positions": "rotary"})}
# as many updates as fit into the seconds that the Transformer takes for its 2,000 (see "pace")
SYSTEMS["budgets"] = {"seconds-rnn": System(updates=4000), "seconds-attention": replace(KINDS["additive"], updates=2400)}
# the Transformer with one part changed
SYSTEMS["parts"] = {f"parts-{name}": replace(BOOK, **changes) for name, changes in {
    "smoothing": {"smoothing": 0.1}, "warmup": {"warmup": 200}, "post": {"options": {"pre_norm": False}},
    "learned": {"options": {"positions": "learned"}}, "one-head": {"options": {"heads": 1}},
    "untied": {"options": {"tied": False}}, "no-dropout": {"options": {"dropout": 0.0}}}.items()}
RATES = {f"rate-{name}-{thousandths}": replace(system, peak_rate=thousandths / 1000)
         for name, system, tried in (
             ("192", System(), (2, 3, 4, 6, 8)), ("384", System(width=384), (2, 3)),
             ("attention", ATTENTION, (1, 2, 3, 4, 6)), ("control", System(decoder=LuongDecoder), (2, 4, 6)),
             *[(f"attention-{kind}", system, (1, 2, 4, 6)) for kind, system in KINDS.items()],
             *[(f"before-{kind}", system, (2, 3, 6)) for kind, system in BEFORE.items()]) for thousandths in tried}


EXPERIMENTS = [
    baseline("word-for-word", word_for_word_with_links), baseline("ibm1", word_for_word_with_ibm),
    baseline("nearest", nearest), baseline("skeleton", random_content),
    aligner("links-ibm1", ibm_links), aligner("links-by-place", links_by_place),
    aligner("links-best", best_single_links),
    *[trained(name, group, system.start, system.finish, SEEDS[:2] if group == "parts" else SEEDS)
      for group, systems in SYSTEMS.items() for name, system in systems.items()],
    trained("parts-again", "parts", BOOK.start, BOOK.finish, (3, 4)),    # nothing changed: two seeds more
    *[trained(name, "rates", system.start, system.validate, seeds=(0,)) for name, system in RATES.items()],
]
