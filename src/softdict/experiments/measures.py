"""How good a translator is: its translations, its next words, its weights as links."""

from dataclasses import astuple

import torch

from softdict.batches import make_batch, padded
from softdict.decoding import greedy
from softdict.experiments import sentences
from softdict.saving.recipes import vocabs
from softdict.scoring import (
    alignment_error_rate, bleu, by_length, chrf, content_shares, exact_match_scores,
    heaviest_links, hits, masses, share)
from softdict.seq2seq import Seq2Seq, mixed_states, source_weights
from softdict.transformer import all_weights
from softdict.vocab import PAD


# Translations

def quality(examples, hypotheses):
    """Five measures of translations, each with the ends of its interval.

    beside them, what sacrebleu signs two of them with
    """
    references = [example.target for example in examples]
    found, wanted = zip(*found_content(examples, hypotheses))
    words, words_signature = bleu(hypotheses, references)
    letters, letters_signature = chrf(map(sentences.join, hypotheses),
                                      map(sentences.join, references))
    endings = [line[-1:] == reference[-1:]
               for line, reference in zip(hypotheses, references)]
    measures = {"exact": share(exact_match_scores(hypotheses, references)),
                "content": share(found, wanted),
                "bleu": words, "chrf": letters, "ending": share(endings)}
    return {"sentences": len(examples),
            "signatures": [words_signature, letters_signature],
            **{name: astuple(value) for name, value in measures.items()}}


def found_content(examples, hypotheses):
    """For each example how many content words were found, and how many there are."""
    flags = [[kind is not None for kind in example.kinds] for example in examples]
    return content_shares(hypotheses, [example.target for example in examples], flags)


def report(translate):
    """Quality by length, and on every held-out split.

    translate(examples) gives a list of morphemes for each
    """
    known = {name: sentences.split(name) for name in sentences.HELD_OUT}
    written = {name: translate(examples) for name, examples in known.items()}
    by_size = known["iid"] + known["long"]
    bins = by_length([example.length for example in by_size])
    lines = written["iid"] + written["long"]
    return {
        "by length": {name: quality([by_size[n] for n in group],
                                    [lines[n] for n in group])
                      for name, group in bins.items()},
        "splits": {name: quality(known[name], written[name])
                   for name in sentences.HELD_OUT},
        "samples": [[" ".join(example.source),
                     sentences.join(line), sentences.join(example.target)]
                    for example, line in list(zip(by_size, lines))[::100]]}


def translations(system, model, examples, size=128):
    """Greedy translations; the longest sentences first, then put back in order."""
    ids = [source for source, _ in system.ids(examples)]
    order = sorted(range(len(ids)), key=lambda n: -len(ids[n]))
    lines = {}
    for start in range(0, len(order), size):
        group = order[start:start + size]
        source = padded([ids[n] for n in group]).to(next(model.parameters()).device)
        lengths = torch.tensor([len(ids[n]) for n in group])
        lines |= zip(group, greedy(model, source, lengths))
    return [vocabs(system.pairs)[1].tokens(lines[n]) for n in range(len(ids))]


# Next words

@torch.no_grad()
def scores(system, model, examples, teacher_forcing=1.0):
    """Logits [B, T, V] of the target words of all examples, and their one batch.

    teacher_forcing is the share of steps that read the right word, for RNNs only
    """
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    given = batch.source, batch.source_lengths, batch.target_in
    if isinstance(model, Seq2Seq):    # one that mixed in training is told here, too
        states = mixed_states(model, *given, teacher_forcing)
    else:
        states = model.states(*given)
    return model.generator(states), batch


def accuracies(system, model):
    """Share of right words, in all and by place in the target.

    after the right words ("told"), or after the model's own
    """
    table = {}
    for name, told in (("told", 1.0), ("own", 0.0)):
        logits, batch = scores(system, model, sentences.split("iid"), told)
        real = batch.target_out != PAD                                # [B, T]
        right = (logits.argmax(dim=-1) == batch.target_out) & real    # [B, T]
        table[name] = (right.sum() / real.sum()).item()
        table[f"{name} by place"] = (right.sum(dim=0) / real.sum(dim=0)).tolist()[:40]
    return table


def agreement(system, model):
    """Share of twins where the right morpheme beats that of the twin.

    of twins one has a subject that is honoured, and one has not
    """
    examples = sentences.split("agree")
    logits, batch = scores(system, model, examples)
    right = []
    for n, (scored, own) in enumerate(zip(logits, examples)):
        # n ^ 1: 0 and 1 are twins, 2 and 3, ...
        wrong = batch.target_out[n ^ 1, examples[n ^ 1].spot]
        right.append(bool(scored[own.spot, batch.target_out[n, own.spot]]
                          > scored[own.spot, wrong]))
    return astuple(share(right))


# Weights as links

@torch.no_grad()
def alignment(system, model):
    """How well a decoder's weights agree with the gold links, by length."""
    examples = sentences.split("iid")
    batch = make_batch(system.ids(examples)).to(next(model.parameters()).device)
    weights = source_weights(model, batch.source, batch.source_lengths, batch.target_in)
    return aligned(examples, list(weights.cpu()))


@torch.no_grad()
def cross_attention(system, model):
    """What a Transformer knows of the next word, and where it looks on the way."""
    examples = sentences.split("iid")
    logits, batch = scores(system, model, examples)
    right = logits.argmax(dim=-1) == batch.target_out    # [B, T]
    maps = all_weights(model, batch.source, batch.source_lengths, batch.target_in)[2]
    mean = torch.stack(maps).mean(dim=(0, 2)).cpu()      # [B, T, S]
    return {"told": right[batch.target_out != PAD].cpu().double().mean().item(),
            # row t predicts word t; the row behind it reads word t
            "alignment": aligned(examples, list(mean)),
            "alignment reading": aligned(examples, list(mean[:, 1:]))}


def aligned(examples, weights):
    """Error rate, and hits and mass on sure links, by length.

    weights is a tensor for each example, with rows for target words
    """
    table = {}
    for size, group in by_length([example.length for example in examples]).items():
        rows, sure, possible = zip(
            *((weights[n], examples[n].links, examples[n].possible) for n in group))
        drawn = [heaviest_links(row, links) for row, links in zip(rows, possible)]
        table[size] = {"error": astuple(alignment_error_rate(drawn, sure, possible)),
                       "hits": astuple(share(*zip(*hits(rows, sure)))),
                       "mass": astuple(share(*zip(*masses(rows, sure))))}
    return table
