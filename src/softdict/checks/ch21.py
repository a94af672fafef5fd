"""Checks for the exercises of chapter 21, pretraining."""

import torch
import torch.nn.functional as F

from softdict.checks.answers import (
    DETACHED, PART_DETACHED, ask, blame, close, no_gradient, number, pair, tensor)
from softdict.checks.ch11 import grid
from softdict.checks.ch22 import other_kind
from softdict.checks.elsewhere import stays_where_it_is
from softdict.checks.result import Mistake, exercise, refuse
from softdict.vocab import BOS, EOS, PAD, UNK

FIRST = 4    # the number of the first word that is not special


# 21-1

def some_ids(B, T, mask, full=False):
    """Sentences of many lengths with BOS, EOS and UNK; the word 4 is frequent."""
    chance = torch.Generator().manual_seed(211)
    ids = torch.randint(FIRST, mask, (B, T), generator=chance)
    often = torch.rand(2, B, T, generator=chance)
    ids = ids.masked_fill(often[0] < 0.3, FIRST).masked_fill(often[1] < 0.05, UNK)
    if full:
        return ids.clamp(min=FIRST)
    ids[::2, 0] = BOS
    lengths = torch.randint(2, T + 1, (B, 1), generator=chance)
    places = torch.arange(T)
    ids = ids.masked_fill(places == lengths - 1, EOS)
    return ids.masked_fill(places >= lengths, PAD)


def hidden(mask_words, ids, mask, rng, *share):
    """Masked ids and target as the answer makes them; Mistake if they are others."""
    made = ask(mask_words, ids, mask, rng, *share, advice="make new tensors")
    made = pair(made, "the masked ids", "the target")
    refuse(getattr(made[1], "dtype", None) == torch.bool, "chosen_returned", "the "
           "target holds the words that stood there; yours says only where.")
    for part, name in zip(made, ("masked ids", "target")):
        tensor(part, ids.shape, name)
        other_kind(part, ids, name)
    return made


def look_at_targets(ids, mask, masked, target):
    """Raises Mistake unless the target holds chosen words and the others are left."""
    words, specials = ids >= FIRST, (ids > PAD) & (ids < FIRST)
    refuse((target == mask).any() and ((masked == PAD) & words).any(), "swapped",
           "return the masked ids first and the target second.")
    refuse((target < 0).any(), "minus_hundred", "where no word is chosen the target is "
           f"PAD, 0; yours has {int(target.min())}.")
    refuse((target == mask).any(), "target_masked", "your target holds <mask>; it "
           "holds the words that stood there before.")
    refuse(torch.equal(target, ids), "target_everywhere", "your target holds every "
           "word, so the loss would count words that stand there to be read.")
    chosen, changed = target != PAD, masked != ids
    refuse((chosen & words & (target != ids)).any(), "wrong_target", "where a word is "
           "chosen, the target is the word that stood there; yours has another.")
    refuse(((chosen | changed) & (ids == PAD)).any(), "pads_hidden", "yours puts words "
           "where pads are; only words are chosen.")
    refuse(((chosen | changed) & specials).any(), "special_chosen", "yours chooses "
           "special words, such as <bos>; only numbers from 4 on are words.")
    if (changed & ~chosen).any():
        refuse(torch.equal(chosen, masked == mask), "hidden_alone", "your target holds "
               "the words under <mask> alone. The words that were exchanged or kept "
               "are chosen, too.")
        raise Mistake("others_changed", "yours changes words that are not chosen: "
                      "where the target is PAD, every word stays.")


def look_at_shares(mask_words, ids, mask):
    """Raises Mistake unless each word is chosen with the chance that was asked."""
    words, found = ids >= FIRST, []
    for share in (0.3, 0.6, 0.0, 1.0, None):
        rng = torch.Generator().manual_seed(5)
        masked, target = hidden(mask_words, ids, mask, rng,
                                *([] if share is None else [share]))
        look_at_targets(ids, mask, masked, target)
        found.append(((target != PAD).sum() / words.sum()).item())
    wanted = [0.3, 0.6, 0.0, 1.0, 0.15]
    if not close(found, wanted, 0.03):
        refuse(max(found) - min(found) < 0.04, "ignores_share", "yours chooses "
               f"{found[0]:.0%} of the words whatever `share` is.")
        kept_out = not ((target != PAD) & (masked == ids)).any()
        refuse(kept_out and close(found, [0.9 * share for share in wanted], 0.03),
               "kept_not_targets", "a word that was chosen and stays as it is belongs "
               "to the target; yours leaves it out.")
        share, got = next(row for row in zip(wanted, found) if not close(*row, 0.03))
        raise Mistake("wrong_share", f"with a share of {share:.0%}, yours chooses "
                      f"{got:.0%} of the words; pads and special words do not count.")


def look_at_generator(mask_words, ids, mask):
    """Raises Mistake unless chance comes from the rng, anew in each call."""
    before, made = torch.get_rng_state(), []
    for seed in (1, 1, 2):
        rng = torch.Generator().manual_seed(seed)
        made.append([hidden(mask_words, ids, mask, rng, 0.5)[0]
                     for _ in range(2)])
    same = all(torch.equal(*rows) for rows in zip(*made[:2]))
    refuse(not same or not torch.equal(before, torch.get_rng_state()),
           "not_from_generator", "two generators with the same seed should hide the "
           "same words, and torch's own chance stays as it was; hand `rng` to "
           "every function that draws.")
    refuse(torch.equal(*made[0]) or torch.equal(made[0][0], made[2][0]), "drawn_once",
           "yours hides the same words in every call; each call draws anew, so do not "
           "set a seed in it.")


def look_at_places(mask_words, mask):
    """Raises Mistake unless each word is chosen by itself."""
    ids = some_ids(400, 20, mask, full=True)
    rng = torch.Generator().manual_seed(6)
    chosen = hidden(mask_words, ids, mask, rng, 0.3)[1] != PAD
    refuse((chosen == chosen[0]).all(), "same_places", "yours chooses the same places "
           "in every sentence.")
    refuse((chosen == chosen[:, :1]).all(), "whole_sentences", "yours chooses whole "
           "sentences; each word is chosen by itself.")
    refuse(chosen.sum(1).float().var() < 2, "fixed_count", "yours chooses as many "
           "words in each sentence. Each word has a chance of its own.")
    share = chosen.float().mean().item()
    together = (chosen[:, 1:] & chosen[:, :-1]).float().mean().item()
    even = close(chosen.float().mean(0), torch.full((20,), share), 0.13)
    refuse(not even or abs(together - share ** 2) > 0.025, "wrong_places", "each word "
           "has the same chance, whatever stands beside it; in yours it depends on the "
           "place or on the neighbours.")


# shares of <mask>, of other words, of words that stay, for V words
FATES = [
    ((0.0, 0.9, 0.1), "mask_overwritten", "no chosen word becomes <mask> in yours, and "
     "90 in 100 a random word: are the masks overwritten by random words?"),
    ((1.0, 0.0, 0.0), "all_masked", "yours hides every chosen word; 80 in 100 become "
     "<mask>, 10 another word, 10 stay."),
    ((0.8, 0.02, 0.18), "tenth_of_rest", "yours exchanges a tenth of what <mask> has "
     "left over. It is half of that: 10 in 100 of all chosen words."),
    ((0.8, 0.0, 0.2), "no_random", "yours exchanges no word: 10 in 100 of the chosen "
     "become a random word."),
    ((0.8, 0.2, 0.0), "no_kept", "in yours no chosen word stays; 10 in 100 stay as "
     "they are."),
    ((0.9, 0.1, 0.0), "no_kept", "in yours no chosen word stays; 10 in 100 stay as "
     "they are."),
    ((0.1, 0.8, 0.1), "exchanged_most", "80 in 100 become <mask> and 10 a random word; "
     "yours has it the other way round."),
    ((0.1, 0.1, 0.8), "kept_most", "80 in 100 become <mask> and 10 stay; yours has it "
     "the other way round.")]


def look_at_fates(mask_words, mask):
    """Raises Mistake unless 80 % are hidden, 10 % drawn evenly and 10 % kept."""
    rng = torch.Generator().manual_seed(7)
    ids = some_ids(300, 27, mask, full=True)
    calls = [hidden(mask_words, part, mask, rng, 1.0)[0]
             for part in ids.chunk(12)]
    masked = torch.cat(calls)
    covered, drawn = masked == mask, (masked != mask) & (masked != ids)
    refuse((masked[drawn] < FIRST).any(), "special_drawn", "yours draws special words, "
           "such as <pad>; a random word has a number from 4 to mask - 1.")
    mixed = (covered.any(1) & ~covered.all(1)).float().mean()
    refuse(mixed < 0.5 and covered.any() and not covered.all(), "one_fate", "chance "
           "decides for each word what becomes of it; yours decides for many at once.")
    words = [part[there] for part, there in zip(calls, drawn.chunk(12))]
    refuse(drawn.any() and all((part == part[:1]).all() for part in words),
           "one_random_word", "yours draws one random word and uses it everywhere; "
           "each place draws its own.")
    V, drew = mask - FIRST, drawn.float().mean().item()
    drew *= V / (V - 1)    # some words are drawn by themselves
    got = covered.float().mean().item(), drew, 1 - drew - covered.float().mean().item()
    if not close(got, (0.8, 0.1, 0.1), 0.025):
        blame(got, [(code, sentence, fates) for fates, code, sentence in FATES], 0.015)
        shares = ", ".join(f"{100 * share:.0f}" for share in got)
        raise Mistake("wrong_shares", "of 100 chosen words 80 become <mask>, 10 a "
                      f"random word and 10 stay; in yours it is about {shares}.")
    words = masked[drawn]
    counts = torch.bincount(words, minlength=mask)[FIRST:] / len(words)
    refuse(counts[-1] == 0, "last_never_drawn", "yours never draws the last word, "
           f"{mask - 1}; the upper end of `randint` is not drawn itself.")
    # the word 4 is frequent, and so it is drawn by itself more often
    refuse(counts.max() > 2 * counts[1:].mean(), "uneven_words", "a random word is any "
           "word of the vocabulary with the same chance; yours draws some words more "
           "often.")
    masked, target = hidden(mask_words, ids, mask, rng, 0.3)
    share = (masked == mask)[target != PAD].double().mean().item()
    refuse(abs(share - 0.8) > 0.05, "one_die", "of the chosen words 80 in 100 become "
           f"<mask>; with share=0.3 it is {100 * share:.0f} in yours. Does one number "
           "both choose a word and decide its fate?")
    one = some_ids(300, 27, FIRST + 1, full=True)    # a language of one word
    masked, _ = hidden(mask_words, one, FIRST + 1, rng, 1.0)
    refuse((masked == FIRST + 1).float().mean() > 0.825, "mask_drawn", "yours draws "
           "<mask> as a random word; the last word has the number mask - 1.")


@exercise("21-1", points=2)
def check_21_1(mask_words):
    ids, mask = some_ids(300, 23, 44), 44
    rng = torch.Generator().manual_seed(3)
    look_at_targets(ids, mask, *hidden(mask_words, ids, mask, rng, 0.3))
    look_at_generator(mask_words, ids[:60], mask)
    look_at_places(mask_words, mask)
    look_at_shares(mask_words, ids, mask)
    look_at_fates(mask_words, 10)
    hidden(mask_words, torch.zeros(2, 3).long(), mask, rng)    # pads alone
    hidden(mask_words, torch.tensor([[7]]), mask, rng, 1.0)
    stays_where_it_is(mask_words, ids, mask, rng, 0.3)
    return "each call hides other words, and the target asks for these alone."


# 21-2

def some_losses():
    """Losses, targets with pads behind, and whether the ends count."""
    chance = torch.Generator().manual_seed(212)
    for lengths, T, unknown in (([3, 1, 6], 6, 0), ([5, 2], 8, 1), ([4], 4, 0),
                                ([2, 7, 1, 3], 9, 2)):
        losses = 3 * torch.rand(len(lengths), T, generator=chance, dtype=torch.float64)
        target = torch.randint(FIRST, 30, losses.shape, generator=chance)
        for row, length in enumerate(lengths):
            target[row, length - 1], target[row, length:] = EOS, PAD
            losses[row, length - 1] /= 9    # an end is easy
            losses[row, length:] = 5.5      # what a model says at pads
        if unknown:
            target[0, unknown] = UNK
        yield from ((losses, target, ends) for ends in (True, False))


def perplexity_by(losses, target, ends, kind="right"):
    """The perplexity of the words, or what comes of a common mistake."""
    real = target != PAD
    words = real & (target != EOS)
    counted = {"always": real, "never": words, "other_way": words if ends else real,
               "pads_counted": torch.ones_like(real) if ends else target != EOS,
               "specials_left_out": (target >= FIRST) | (target == EOS) & ends}.get(
                   kind, real if ends else words)
    if kind == "pads_not_ends":    # the ends' losses are set to 0, and N stays
        return (losses * counted).sum().div(real.sum()).exp().item()
    if kind == "ends_in_sum":
        return (losses * real).sum().div(counted.sum()).exp().item()
    if kind == "all_places":
        return (losses * counted).sum().div(counted.numel()).exp().item()
    if kind == "all_rows":
        return ((losses * counted).sum(1) / counted.sum(1).clamp(min=1)).mean().exp(
            ).item()
    if kind in ("rows", "rows_late", "words_late"):
        full = counted.any(1)
        means = ((losses * counted).sum(1) / counted.sum(1))[full]
        return (means.mean().exp() if kind == "rows" else means.exp().mean()
                if kind == "rows_late" else losses[counted].exp().mean()).item()
    mean = losses[counted].mean()
    return {"no_exp": mean, "summed": losses[counted].sum().exp(),
            "base_two": torch.exp2(mean), "share": (-mean).exp()}.get(
                kind, mean.exp()).item()


WRONG_PERPLEXITIES = [
    (("no_exp",), "no_exp", "yours is the mean loss; perplexity is exp of it."),
    (("share",), "upside_down", "yours lies below 1: it is a mean share. Perplexity is "
     "one over that."),
    (("base_two",), "base_two", "these losses are natural logarithms, so it is exp and "
     "not a power of two."),
    (("summed",), "summed", "yours is exp of the sum; divide by the number of words "
     "first."),
    (("words_late",), "late_mean", "yours is the mean of exp; take the mean of the "
     "losses first, and exp of that."),
    (("pads_counted",), "pads_counted", "yours counts pads; a pad is no word, in the "
     "sum or in the number."),
    (("all_places",), "divided_by_places", "the sum is right, but yours divides it by "
     "all places, the pads among them."),
    (("rows_late", "rows", "all_rows"), "mean_of_sentences", "yours is a mean over "
     "sentences, so a word of a short one counts more; lay all words together."),
    (("always",), "ends_always", "yours counts the ends always; with ends=False they "
     "do not count."),
    (("never",), "ends_never", "yours never counts the ends; with ends=True they do."),
    (("other_way",), "ends_turned", "yours counts the ends when they should not count, "
     "and the other way round."),
    (("ends_in_sum",), "ends_in_sum", "without ends their losses leave the sum, too."),
    (("pads_not_ends",), "ends_in_number", "without ends their number leaves N, too."),
    (("specials_left_out",), "unknown_left_out", "an unknown word is a word, too: pads "
     "alone, and ends if so asked, are left out.")]


@exercise("21-2", points=1)
def check_21_2(text_perplexity):
    cases = list(some_losses())
    got = [number(ask(text_perplexity, *case)) for case in cases]
    right = [perplexity_by(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, *[[perplexity_by(*case, kind) for case in cases]
                                       for kind in kinds])
                    for kinds, code, sentence in WRONG_PERPLEXITIES])
        (losses, target, ends), mine, wanted = next(
            row for row in zip(cases, got, right) if not close(*row[1:]))
        raise Mistake("wrong_number", f"for the targets {target.tolist()} with "
                      f"ends={ends} it should be {wanted:.4f}; yours is {mine:.4f}.")
    refuse(not close(number(text_perplexity(*cases[0][:2])),
                     perplexity_by(*cases[0][:2], True)), "other_default",
           "called without `ends`, yours leaves the ends of sentences out. The default "
           "is ends=True, as in the task.")
    stays_where_it_is(text_perplexity, *cases[0])
    return "every word counts once, and you can say which words those are."


# 21-3

def some_logits():
    """Logits in float64, and targets of which some are chosen; one has none."""
    chance = torch.Generator().manual_seed(213)
    for B, T, V, share in ((3, 7, 11, 0.4), (2, 5, 5, 0.3), (1, 9, 6, 0.5),
                           (4, 3, 9, 0)):
        logits = 2 * torch.randn(B, T, V, generator=chance, dtype=torch.float64)
        target = torch.randint(FIRST, V, (B, T), generator=chance)
        target[torch.rand(B, T, generator=chance) >= share] = PAD
        if share:
            target[0, :2] = torch.tensor([FIRST, V - 1])
        if B == 1:    # one word alone
            target[0, 1:] = PAD
        yield logits, target


def loss_by(logits, target, kind="right"):
    """The mean loss of the chosen words, or what comes of a common mistake."""
    (B, T, V), chosen = logits.shape, target != PAD
    if kind == "pads_counted":
        return F.cross_entropy(logits.mT, target)
    if kind == "reread":
        logits = logits.reshape(B, V, T).mT
    if kind == "softmax_twice":
        logits = logits.softmax(-1)
    if kind == "no_pad_word":
        logits = logits.masked_fill(torch.arange(V) == PAD, float("-inf"))
    if kind == "words_alone":
        logits = logits.masked_fill(torch.arange(V) < FIRST, float("-inf"))
    shares = logits.log_softmax(-1)
    losses = -shares.gather(2, target[..., None])[..., 0]
    if kind == "late_log":
        losses = losses.neg().exp()
        return -(losses[chosen].mean().log() if chosen.any() else losses.sum() * 0)
    losses = losses.masked_fill(~chosen, 0)
    many = chosen.sum(1)
    if kind == "rows":
        return (losses.sum(1) / many.clamp(min=1)).sum() / (many > 0).sum().clamp(min=1)
    if kind == "all_rows":
        return (losses.sum(1) / many.clamp(min=1)).mean()
    number = {"summed": 1, "all_places": chosen.numel(), "sentences": B}.get(
        kind, chosen.sum().clamp(min=1))
    return losses.sum() / number * (-1 if kind == "negative" else 1)


WRONG_LOSSES = [
    ("pads_counted", "yours counts the places where the target is PAD, too: there the "
     "model learns to say <pad>."),
    ("reread", "yours reads the numbers anew as another shape, and so mixes words and "
     "places; `mT` exchanges the axes."),
    ("softmax_twice", "yours takes a softmax of what is already one; cross-entropy "
     "wants the logits."),
    ("no_pad_word", "yours takes <pad> out of the candidates; it stays one of the V "
     "words among which the model chooses."),
    ("words_alone", "yours takes the special words out of the candidates; the loss is "
     "over all V."),
    ("late_log", "yours is the logarithm of a mean share; take the mean of the "
     "losses."),
    ("rows", "yours is a mean over sentences; each chosen word counts the same."),
    ("all_rows", "yours is a mean over sentences; each chosen word counts the same."),
    ("summed", "yours is the sum; divide it by the number of chosen words."),
    ("all_places", "the sum is right, but yours divides it by all places, chosen or "
     "not."),
    ("sentences", "the sum is right, but yours divides it by the number of sentences."),
    ("negative", "yours has the wrong sign: a loss is above 0.")]
LOSS_CODES = {"rows": "mean_of_sentences", "all_rows": "mean_of_sentences"}


@exercise("21-3", points=2)
def check_21_3(blank_loss):
    cases, got = list(some_logits()), []
    for logits, target in cases:
        returned = ask(blank_loss, logits, target, advice="make new tensors")
        refuse(isinstance(returned, (int, float)), "no_tensor", "return a tensor, so "
               "that gradients can flow; yours is a number of Python.")
        shape = tuple(getattr(returned, "shape", ()))
        refuse(shape == (logits.shape[0], logits.shape[1]), "not_one_number", "the "
               f"loss is one number; yours has the shape {list(shape)}.")
        got.append(tensor(returned, (), "loss"))
        if (target != PAD).any():    # of nothing the gradient is asked first
            other_kind(returned, logits, "loss")
    right = [loss_by(*case) for case in cases]
    if not close(got[:3], right[:3]):
        blame(got[:3], [(LOSS_CODES.get(code, code), sentence,
                         [loss_by(*case, code) for case in cases[:3]])
                        for code, sentence in WRONG_LOSSES])
        mine, wanted = next(row for row in zip(got, right) if not close(*row))
        raise Mistake("wrong_loss", f"the loss should be {wanted:.4f} here; yours is "
                      f"{mine:.4f}.")
    refuse(not close(got[3], right[3]), "none_chosen", "where no word is chosen the "
           f"loss is 0; yours is {got[3]:g}.")
    for logits, target in cases:
        logits = logits.clone().requires_grad_()
        loss = blank_loss(logits, target)
        refuse(no_gradient(loss, [logits]) and not (target != PAD).any(), "new_zero",
               "where no word is chosen, no backward pass can start from your loss; "
               "make the 0 out of the logits.")
        refuse(no_gradient(loss, [logits]), *DETACHED)
        slopes = [torch.autograd.grad(made, logits)[0]
                  for made in (loss, loss_by(logits, target))]
        refuse(not slopes[0].isfinite().all(), "nan_gradient", "where no word is "
               "chosen the gradient is 0; yours is nan.")
        refuse(not close(*slopes), *PART_DETACHED)
        other_kind(loss, logits, "loss")
    stays_where_it_is(blank_loss, *cases[0])
    return "the chosen words alone are counted, each of them once."


# 21-4

# texts of each row, and the size of the row
ROWS = [([[2, 3, 1], [4, 1]], 7), ([[1, 1, 2], [5]], 5), ([[2, 2], [], [3, 1]], 4),
        ([[3, 4, 2]], 11), ([[3], [3], [1, 2]], 3)]


def some_segments():
    """Segments of packed rows; a row may be full, and may be pads alone."""
    for rows, size in ROWS:
        segments = torch.zeros(len(rows), size).long()
        for row, lengths in zip(segments, rows):
            start = 0
            for text, length in enumerate(lengths, start=1):
                row[start:start + length] = text
                start += length
        yield segments


def places_by(segments, kind="right"):
    """Positions that restart in each text, or what comes of a common mistake."""
    B, T = segments.shape
    if kind == "rows_joined":
        return places_by(segments.reshape(1, -1)).view(B, T)
    places = torch.arange(T).expand(B, T)
    first = segments.ne(F.pad(segments, (1, 0), value=-1)[:, :-1])
    starts = places.masked_fill(~first, 0).cummax(1)[0]
    right = (places - starts).masked_fill(segments == PAD, 0)
    return {"run_on": places, "run_on_but_pads": places.masked_fill(segments == PAD, 0),
            "one_late": (right + 1), "one_late_but_pads": (right + 1) * (segments > 0),
            "pads_too": places - starts,
            "pads_on": places.where(segments == PAD, right),
            "numbers": (segments - 1).clamp(min=0),
            "from_segment": places * (segments > 0) - (segments - 1).clamp(min=0)}.get(
                kind, right)


WRONG_PLACES = [
    (("run_on", "run_on_but_pads"), "run_on", "yours counts on from text to text; the "
     "first word of each text stands at 0."),
    (("one_late", "one_late_but_pads"), "one_late", "in yours the first word stands at "
     "1; it is position 0."),
    (("pads_too", "pads_on"), "pads_placed", "yours gives pads places of their own; a "
     "pad's position is 0."),
    (("rows_joined",), "rows_joined", "yours goes through all rows in one go; each row "
     "begins anew, also where the number of the text is the same."),
    (("numbers",), "text_numbers", "yours are the numbers of the texts; a position "
     "says where a word stands in its text."),
    (("from_segment",), "from_segment", "yours takes away the number of the text; take "
     "away the place where the text begins.")]


def blocks_by(segments):
    """The mask, and those of common mistakes: code, sentence, the mask."""
    B, T = segments.shape
    words = (segments != PAD)[:, None, :].expand(B, T, T)
    same = segments[:, :, None] == segments[:, None, :]
    causal = torch.ones(T, T).bool().tril().expand(B, T, T)
    right = same & words
    return right, [
        ("inverted", "True means that a word may look; yours says what is hidden.",
         ~right),
        ("pads_together", "pads have the number 0 in common, so in yours they look at "
         "each other; nobody looks at a pad.", same),
        ("padding_alone", "yours hides the pads alone; words of other texts are "
         "hidden, too.", words),
        ("causal_too", "a word looks both ways here; yours hides what comes later.",
         right & causal),
        ("causal_alone", "yours hides what comes later, and not the other texts.",
         words & causal),
        ("not_itself", "in yours no word looks at itself; it may.",
         right & ~torch.eye(T).bool()),
        ("earlier_too", "yours lets words look at the texts before theirs.",
         (segments[:, :, None] >= segments[:, None, :]) & words),
        ("others_alone", "yours lets words look at the *other* texts.", ~same & words),
        ("pads_see_themselves", "in yours a pad looks at itself; a pad looks at "
         "nothing.", right | torch.eye(T).bool()),
        ("pads_look", "in yours pads look at words; a pad looks at nothing.",
         (same | (segments == PAD)[:, :, None]) & words)]


@exercise("21-4", points=2)
def check_21_4(packed_looks):
    found = []
    for segments in some_segments():
        (B, T), made = segments.shape, ask(packed_looks, segments)
        positions, allowed = pair(made, "the positions", "the mask")
        kinds = [getattr(part, "dtype", None) for part in (positions, allowed)]
        refuse(kinds[0] == torch.bool != kinds[1], "swapped",
               "return the positions first and the mask second.")
        refuse(tuple(getattr(allowed, "shape", ())) == (T, T) != (B, T, T), "one_mask",
               "each row has texts of its own, and so a mask of its own: [B, T, T].")
        refuse(tuple(getattr(positions, "shape", ())) == (T,) != (B, T), "one_row",
               "each row has positions of its own: [B, T].")
        tensor(positions, (B, T), "positions")
        tensor(allowed, (B, T, T), "mask")
        refuse(kinds[0].is_floating_point or kinds[0] == torch.bool, "no_whole_numbers",
               f"positions are whole numbers; yours are {kinds[0]}.")
        refuse(kinds[1] != torch.bool, "no_bool", "the mask should hold True and "
               f"False; yours holds {kinds[1]}.")
        found.append((segments, positions.cpu(), allowed.cpu()))
    mine, right = [row[1] for row in found], [places_by(row[0]) for row in found]
    if not close(mine, right):
        blame(mine, [(code, sentence, *[[places_by(row[0], kind) for row in found]
                                        for kind in kinds])
                     for kinds, code, sentence in WRONG_PLACES])
        segments, got, wanted = next((row[0], row[1], places) for row, places
                                     in zip(found, right) if not close(row[1], places))
        raise Mistake("wrong_positions", f"for the segments {segments.tolist()} the "
                      f"positions should be {wanted.tolist()}; yours are "
                      f"{got.tolist()}.")
    masks = [blocks_by(row[0]) for row in found]
    if not all(torch.equal(row[2], wanted) for row, (wanted, _) in zip(found, masks)):
        for row in zip(*[likely for _, likely in masks]):
            blame([got for _, _, got in found], [(*row[0][:2], [m for _, _, m in row])])
        segments, got, wanted = next(
            (row[0], row[2], wanted) for row, (wanted, _) in zip(found, masks)
            if not torch.equal(row[2], wanted))
        b = next(b for b in range(len(got)) if not torch.equal(got[b], wanted[b]))
        raise Mistake("wrong_mask", f"for the segments {segments[b].tolist()} the rows "
                      f"should be {grid(wanted[b])}; yours are {grid(got[b])}.")
    stays_where_it_is(packed_looks, found[0][0])
    return "texts share a row, and none of them can tell."
