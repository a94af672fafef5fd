"""Checks for the exercises of chapter 05, learning to translate."""

import math
from collections import Counter

import torch
import torch.nn.functional as F

from softdict.checks.answers import ask, blame, close, no_gradient, number
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


@exercise("05-1", points=2)
def check_05_1(perplexity):
    torch.manual_seed(5)
    batches = [scored(lengths) for lengths in ([6, 3], [0, 0], [2, 1, 4])]
    got = number(ask(perplexity, [[logits, target] for logits, target in batches],
                     likely=[("empty_batch", "division by zero")], keeps=False))
    refuse(math.isnan(got), "empty_batch")
    refuse(got <= 0, "not_positive", got=got)

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
        return
    blame(math.log(got), [
        ("no_exp", math.log(right)),
        ("base_two", right * math.log(2)),
        ("minus_forgotten", -right),
        ("pads_counted", mean(everything)),
        ("pads_divide", mean(counted=everything)),
        ("pads_summed", mean(everything, lambda target: target != PAD)),
        ("mean_of_batches", sum(means) / 2, sum(means) / 3),
        ("mean_of_perplexities", math.log(sum(map(math.exp, means)) / 2)),
        ("mean_of_sentences", sum(rows) / len(rows)),
        ("not_divided", total),
        ("last_batch_only", means[-1]),
        ("eos_left_out", mean(lambda target: (target != PAD) & (target != EOS))),
        ("scrambled", mean(turned=scrambled)),
        ("softmax_twice", mean(turned=lambda logits: logits.softmax(dim=-1)))], 1e-3)
    raise Mistake("wrong_perplexity", right=math.exp(right), got=got)


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
               or no_gradient(returned, [logits]), "detached")
        return
    in_columns = F.cross_entropy(logits.transpose(0, 1).flatten(0, 1),
                                 target.flatten(), ignore_index=PAD)
    sentences = [row[own].mean() for row, own in zip(losses, real)]
    blame(got, [
        ("scrambled", mean(scrambled(logits))),
        ("pads_counted", losses.mean()),
        ("pads_divide", total / target.numel()),
        ("not_divided", total),
        ("axes_disagree", in_columns),
        ("axes_disagree-targets", F.cross_entropy(
            logits.flatten(0, 1), target.T.flatten(), ignore_index=PAD)),
        ("mean_of_sentences", sum(sentences) / len(sentences)),
        ("softmax_twice", mean(logits.softmax(dim=-1))),
        ("scores_emptied",
         mean(logits) + (~real).sum() / real.sum() * math.log(logits.shape[-1])),
        ("perplexity", mean(logits).exp())])
    raise Mistake("wrong_loss", right=mean(logits).item(), got=got)


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
         "the dog saw the cat and slept"),
        ("a b c d e f x", "a b c d e f g h i"),
        ("he saw the hen and he ran", "then he saw the hen and the cat ran")]
    cases = [(hypothesis.split(), reference.split()) for hypothesis, reference in cases]
    zero = ("log_of_zero", "math domain error", "expected a positive input")

    def run(one, two):
        return number(ask(bleu_of, one, two, likely=[zero], keeps=False))

    def made(**options):
        return [bleu_variant(*case, **options) for case in cases]

    got, right = [run(*case) for case in cases], made()
    if close(got, right, 0.01):
        nothing = run("a b c d e".split(), "a b x d e".split())
        refuse(not close(nothing, 0.0, 0.01), "zero_share", nothing=nothing)
        return
    refuse(close(got[:3], right[:3], 0.01), "substrings")
    refuse(close(got, [score / 100 for score in right]), "not_percent")
    blame(got, [
        ("no_clipping", made(clip=False)),
        ("clipped_each_time", made(clip="each")),
        ("sets", made(clip="sets"), made(clip="once")),
        ("arithmetic_mean", made(mean="arithmetic")),
        ("no_root", made(mean="none")),
        ("no_penalty", made(penalty="none")),
        ("penalty_always", made(penalty="always")),
        ("ratio_penalty", made(penalty="ratio")),
        ("penalty_in_root", made(penalty="root")),
        ("penalty_rewards", made(penalty="reward")),
        ("penalty_upside_down", made(penalty="upside down")),
        ("recall", made(over="reference")),
        ("exchanged", [bleu_variant(*case[::-1]) for case in cases]),
        ("smoothed", made(smooth=1), made(smooth=2)),
        ("words_only", made(longest=1)),
        ("pairs_only", made(longest=2)),
        ("triples_only", made(longest=3)),
        ("five_words", made(longest=5))], 0.01)
    n = next(n for n in range(4) if not close(got[n], right[n], 0.01))
    raise Mistake("wrong_score", hypothesis=" ".join(cases[n][0]),
                  reference=" ".join(cases[n][1]), right=right[n], got=got[n])
