"""Checks for the exercises of chapter 05, learning to translate."""

import math
from collections import Counter

import torch
import torch.nn.functional as F

from softdict.checks.answers import (
    DETACHED, ask, blame, close, no_gradient, number)
from softdict.checks.result import Mistake, exercise, refuse
from softdict.vocab import EOS, PAD


def scored(lengths, vocabulary=8):
    """Random logits [B, T, V] and a target [B, T] of sentences with these lengths."""
    T = max([*lengths, 3])
    logits = 2 * torch.randn(len(lengths), T, vocabulary)
    target = torch.randint(4, vocabulary, (len(lengths), T))
    for row, length in zip(target, lengths):
        row[length:] = PAD
        if length:
            row[length - 1] = EOS
    return logits, target


def losses_of(logits, target):
    """The loss of each place of a batch, pads among them [B, T]."""
    return F.cross_entropy(logits.transpose(1, 2), target, reduction="none")


def scrambled(logits):
    """The logits cut anew instead of turned, as words that are scored [B, T, V]."""
    B, T, V = logits.shape
    return logits.reshape(B, V, T).transpose(1, 2)


EMPTY = ("empty_batch", "one batch holds nothing but pads, and 0 words cannot be "
         "divided by; add up losses and words first, and divide at the end.")


@exercise("05-1", points=2)
def check_05_1(perplexity):
    torch.manual_seed(5)
    batches = [scored(lengths) for lengths in ([6, 3], [0, 0], [2, 1, 4])]
    got = number(ask(perplexity, [[logits, target] for logits, target in batches],
                     likely=[(*EMPTY, "division by zero")], advice=None))
    refuse(math.isnan(got), *EMPTY)
    refuse(got <= 0, "not_positive",
           f"a perplexity is at least 1; yours is {got:.2f}.")

    def mean(real=lambda target: target != PAD, counted=None, turned=lambda logits:
             logits, some=batches):
        total = sum((losses_of(turned(logits), target) * real(target)).sum().item()
                    for logits, target in some)
        return total / sum((counted or real)(target).sum().item()
                           for _, target in some)

    def everything(target):
        return target == target

    full = batches[::2]
    means = [mean(some=[batch]) for batch in full]
    rows = [mean(some=[(logits[n:n + 1], target[n:n + 1])])
            for logits, target in full for n in range(len(target))]
    total = mean() * sum((target != PAD).sum().item() for _, target in batches)
    right = mean()
    if close(math.log(got), right, 1e-3):
        return "all losses together, over all words together, then exp."
    blame(math.log(got), [
        ("no_exp", "that is the mean loss; the perplexity is exp of it.",
         math.log(right)),
        ("base_two", "the losses are natural logarithms, so take exp, and not powers "
         "of two.", right * math.log(2)),
        ("minus_forgotten", "yours is below 1: a loss is *minus* the logarithm.",
         -right),
        ("pads_counted", "yours counts pads as words.", mean(everything)),
        ("pads_divide", "you sum the real words and divide by all places, pads among "
         "them.", mean(counted=everything)),
        ("pads_summed", "you sum the losses of all places, pads among them, and divide "
         "by the real words.", mean(everything, lambda target: target != PAD)),
        ("mean_of_batches", "yours takes the mean of the batches' means, so a word of "
         "a small batch counts more; add up losses and words of all batches first.",
         sum(means) / 2, sum(means) / 3),
        ("mean_of_perplexities", "yours takes exp for each batch and then the mean; "
         "take exp once, at the end.", math.log(sum(map(math.exp, means)) / 2)),
        ("mean_of_sentences", "yours takes the mean of the sentences' means; each word "
         "counts alike.", sum(rows) / len(rows)),
        ("not_divided", "yours takes exp of the sum; divide by the number of words "
         "first.", total),
        ("last_batch_only", "yours is the perplexity of the last batch alone.",
         means[-1]),
        ("eos_left_out", "yours leaves out `<eos>`; it is a word that the model must "
         "predict.", mean(lambda target: (target != PAD) & (target != EOS))),
        ("scrambled", "you cut the logits anew into [B, V, T]; the axes must change "
         "places: `logits.transpose(1, 2)`.", mean(turned=scrambled)),
        ("softmax_twice", "`cross_entropy` does the softmax itself; hand it the "
         "logits.", mean(turned=lambda logits: logits.softmax(dim=-1)))], 1e-3)
    raise Mistake("wrong_perplexity", "for these batches the perplexity is "
                  f"{math.exp(right):.2f}; yours is {got:.2f}.")


@exercise("05-2", points=2)
def check_05_2(loss_of):
    torch.manual_seed(6)
    logits, target = scored([4, 2, 5])
    logits.requires_grad_()
    returned = ask(loss_of, logits, target)
    got, losses, real = number(returned), losses_of(logits, target), target != PAD

    def mean(logits):
        return losses_of(logits, target)[real].mean()

    total = losses[real].sum()
    if close(got, mean(logits)):
        refuse(not isinstance(returned, torch.Tensor)
               or no_gradient(returned, [logits]), *DETACHED)
        return "each word is judged by its own row of scores."
    in_columns = F.cross_entropy(logits.transpose(0, 1).flatten(0, 1),
                                 target.flatten(), ignore_index=PAD)
    sentences = [row[own].mean() for row, own in zip(losses, real)]
    blame(got, [
        ("scrambled", "the scores of different words are mixed, as before; let two "
         "axes change places instead of cutting anew.", mean(scrambled(logits))),
        ("pads_counted", "yours counts pads as words.", losses.mean()),
        ("pads_divide", "you sum the real words and divide by all places, pads among "
         "them.", total / target.numel()),
        ("not_divided", "yours is the sum; divide by the number of real words.",
         total),
        ("axes_disagree", "your rows of scores go column by column and the targets row "
         "by row; flatten both in the same order.", in_columns),
        ("mean_of_sentences", "yours takes the mean of the sentences' means; each word "
         "counts alike.", sum(sentences) / len(sentences)),
        ("softmax_twice", "`cross_entropy` does the softmax itself; hand it the "
         "logits.", mean(logits.softmax(dim=-1))),
        ("scores_emptied", "yours puts 0 for the scores of pads, and each still costs "
         "the logarithm of V; leave their losses out.",
         mean(logits) + (~real).sum() / real.sum() * math.log(logits.shape[-1])),
        ("perplexity", "you return the perplexity; the loss is asked for.",
         mean(logits).exp())])
    raise Mistake("wrong_loss", f"the mean loss of the real words is "
                  f"{mean(logits).item():.3f} here; yours is {got:.3f}.")


def bleu_variant(hypothesis, reference, clip=True, longest=4, mean="geometric",
                 penalty="right", over="hypothesis", smooth=math.inf):
    """BLEU of one sentence from 0 to 100, or one of its common misreadings."""
    shares = []
    for n in range(1, longest + 1):
        found, wanted = (Counter(zip(*(words[i:] for i in range(n))))
                         for words in (hypothesis, reference))
        if clip == "sets":
            shares.append(len(found.keys() & wanted.keys()) / len(found))
            continue
        if clip == "once":
            shares.append(len(found.keys() & wanted.keys()) / found.total())
            continue
        hits = (found & wanted).total() if clip is True else sum(
            count * (min(count, wanted[piece]) if clip == "each" else 1)
            for piece, count in found.items() if piece in wanted)
        more = int(n >= smooth)
        shares.append((hits + more)
                      / ((found if over == "hypothesis" else wanted).total() + more))
    written, asked = len(hypothesis), len(reference)
    brief, shared = math.exp(1 - asked / written), math.prod(shares)
    factor = {"right": min(1.0, brief), "none": 1.0, "always": brief,
              "ratio": min(1.0, written / asked), "root": min(1.0, brief) ** (1 / 4),
              "upside down": min(1.0, math.exp(1 - written / asked)),
              "reward": max(1.0, math.exp(1 - written / asked))}
    middle = {"geometric": shared ** (1 / longest), "arithmetic": sum(shares) / longest,
              "none": shared}
    return 100 * factor[penalty] * middle[mean]


@exercise("05-3", points=3)
def check_05_3(bleu_of):
    cases = [
        ("the old dog chased the cat today", "the old dog chased the small cat today"),
        ("today the dog saw the cat and the dog saw the cat",
         "the dog saw the cat and slept"), ("a b c d e f x", "a b c d e f g h i"),
        ("he saw the hen and he ran", "then he saw the hen and the cat ran")]
    cases = [(hypothesis.split(), reference.split()) for hypothesis, reference in cases]
    zero = ("log_of_zero", "if no piece of some length is found, BLEU is 0; a "
            "logarithm of that share stops with an error.", "math domain error",
            "expected a positive input")

    def run(one, two):
        return number(ask(bleu_of, one, two, likely=[zero], advice=None))

    def made(**options):
        return [bleu_variant(*case, **options) for case in cases]

    got, right = [run(*case) for case in cases], made()
    if close(got, right, 0.01):
        nothing = run("a b c d e".split(), "a b x d e".split())
        refuse(not close(nothing, 0.0, 0.01), "zero_share", "where no three words in a "
               f"row are found, BLEU is 0; yours is {nothing:.2f}.")
        return "shares, their geometric mean, and a penalty for what is too short."
    refuse(close(got[:3], right[:3], 0.01), "substrings",
           "*he* is not a word of *then*; compare words and not letters.")
    refuse(close(got, [score / 100 for score in right]), "not_percent",
           "yours goes from 0 to 1; multiply by 100.")
    blame(got, [
        ("no_clipping", "a piece that is written twice counts twice in yours, even if "
         "the reference has it once.", made(clip=False)),
        ("clipped_each_time", "a piece that both have twice counts four times in "
         "yours; take the smaller count once for each *different* piece.",
         made(clip="each")),
        ("sets", "yours counts different pieces; a piece that stands twice must count "
         "twice.", made(clip="sets"), made(clip="once")),
        ("arithmetic_mean", "yours adds the four shares and divides; multiply, and "
         "take the fourth root.", made(mean="arithmetic")),
        ("no_root", "you multiplied the four shares; the fourth root is missing.",
         made(mean="none")),
        ("no_penalty", "a hypothesis that is too short must pay the brevity penalty.",
         made(penalty="none")),
        ("penalty_always", "yours rewards a hypothesis that is too long; the penalty "
         "is at most 1.", made(penalty="always")),
        ("ratio_penalty", "your penalty is the ratio of the lengths; it is exp(1 - "
         "reference / hypothesis).", made(penalty="ratio")),
        ("penalty_in_root", "your penalty stands under the fourth root; take the root "
         "of the shares alone.", made(penalty="root")),
        ("penalty_rewards", "your penalty rewards a hypothesis that is too short; it "
         "is exp(1 - reference / hypothesis).", made(penalty="reward")),
        ("penalty_upside_down", "your penalty falls on hypotheses that are too long.",
         made(penalty="upside down")),
        ("recall", "yours divides by the pieces of the reference; divide by those "
         "written.", made(over="reference")),
        ("exchanged", "hypothesis and reference have changed places: the first is what "
         "the model wrote.", [bleu_variant(*case[::-1]) for case in cases]),
        ("smoothed", "yours adds 1 to what is found and to what was written; take "
         "both counts as they are.", made(smooth=1), made(smooth=2)),
        ("words_only", "yours counts single words only; add pieces of 2, 3 and 4.",
         made(longest=1)),
        ("pairs_only", "yours stops at pieces of two words; go up to four.",
         made(longest=2)),
        ("triples_only", "yours stops at pieces of three words; go up to four.",
         made(longest=3)),
        ("five_words", "yours goes up to pieces of five words; stop at four.",
         made(longest=5))], 0.01)
    n = next(n for n in range(4) if not close(got[n], right[n], 0.01))
    raise Mistake("wrong_score",
                  f"for {' '.join(cases[n][0])!r} against {' '.join(cases[n][1])!r} "
                  f"BLEU is {right[n]:.2f}; yours is {got[n]:.2f}.")
