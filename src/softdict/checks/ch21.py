"""Checks for the exercises of chapter 21, pretraining."""

import math

import torch
import torch.nn.functional as F

from softdict.checks.answers import ask, blame, close, no_gradient, number, pair, tensor
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
    made = pair(ask(mask_words, ids, mask, rng, *share))
    refuse(getattr(made[1], "dtype", None) == torch.bool, "chosen_returned")
    for part, name in zip(made, ("masked_ids", "target")):
        tensor(part, ids.shape, name)
        other_kind(part, ids, name)
    return made


def look_at_targets(ids, mask, masked, target):
    """Raises Mistake unless the target holds chosen words and the others are left."""
    words, specials = ids >= FIRST, (ids > PAD) & (ids < FIRST)
    refuse((target == mask).any() and ((masked == PAD) & words).any(), "swapped")
    refuse((target < 0).any(), "minus_hundred", got=int(target.min()))
    refuse((target == mask).any(), "target_masked")
    refuse(torch.equal(target, ids), "target_everywhere")
    chosen, changed = target != PAD, masked != ids
    refuse((chosen & words & (target != ids)).any(), "wrong_target")
    refuse(((chosen | changed) & (ids == PAD)).any(), "pads_hidden")
    refuse(((chosen | changed) & specials).any(), "special_chosen")
    if (changed & ~chosen).any():
        refuse(torch.equal(chosen, masked == mask), "hidden_alone")
        raise Mistake("others_changed")


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
        refuse(max(found) - min(found) < 0.04, "ignores_share", got=found[0])
        kept_out = not ((target != PAD) & (masked == ids)).any()
        refuse(kept_out and close(found, [0.9 * share for share in wanted], 0.03),
               "kept_not_targets")
        share, got = next(row for row in zip(wanted, found) if not close(*row, 0.03))
        raise Mistake("wrong_share", share=share, got=got)


def look_at_generator(mask_words, ids, mask):
    """Raises Mistake unless chance comes from the rng, anew in each call."""
    before, made = torch.get_rng_state(), []
    for seed in (1, 1, 2):
        rng = torch.Generator().manual_seed(seed)
        made.append([hidden(mask_words, ids, mask, rng, 0.5)[0]
                     for _ in range(2)])
    same = all(torch.equal(*rows) for rows in zip(*made[:2]))
    refuse(not same or not torch.equal(before, torch.get_rng_state()),
           "not_from_generator")
    refuse(torch.equal(*made[0]) or torch.equal(made[0][0], made[2][0]), "drawn_once")


def look_at_places(mask_words, mask):
    """Raises Mistake unless each word is chosen by itself."""
    ids = some_ids(400, 20, mask, full=True)
    rng = torch.Generator().manual_seed(6)
    chosen = hidden(mask_words, ids, mask, rng, 0.3)[1] != PAD
    refuse((chosen == chosen[0]).all(), "same_places")
    refuse((chosen == chosen[:, :1]).all(), "whole_sentences")
    refuse(chosen.sum(1).float().var() < 2, "fixed_count")
    share = chosen.float().mean().item()
    together = (chosen[:, 1:] & chosen[:, :-1]).float().mean().item()
    even = close(chosen.float().mean(0), torch.full((20,), share), 0.13)
    refuse(not even or abs(together - share ** 2) > 0.025, "wrong_places")


# shares of <mask>, of other words, of words that stay, for V words
FATES = [
    ("mask_overwritten", (0.0, 0.9, 0.1)), ("all_masked", (1.0, 0.0, 0.0)),
    ("tenth_of_rest", (0.8, 0.02, 0.18)), ("no_random", (0.8, 0.0, 0.2)),
    ("no_kept", (0.8, 0.2, 0.0), (0.9, 0.1, 0.0)),
    ("exchanged_most", (0.1, 0.8, 0.1)), ("kept_most", (0.1, 0.1, 0.8))]


def look_at_fates(mask_words, mask):
    """Raises Mistake unless 80 % are hidden, 10 % drawn evenly and 10 % kept."""
    rng = torch.Generator().manual_seed(7)
    ids = some_ids(300, 27, mask, full=True)
    calls = [hidden(mask_words, part, mask, rng, 1.0)[0]
             for part in ids.chunk(12)]
    masked = torch.cat(calls)
    covered, drawn = masked == mask, (masked != mask) & (masked != ids)
    refuse((masked[drawn] < FIRST).any(), "special_drawn")
    mixed = (covered.any(1) & ~covered.all(1)).float().mean()
    refuse(mixed < 0.5 and covered.any() and not covered.all(), "one_fate")
    words = [part[there] for part, there in zip(calls, drawn.chunk(12))]
    refuse(drawn.any() and all((part == part[:1]).all() for part in words),
           "one_random_word")
    V, drew = mask - FIRST, drawn.float().mean().item()
    drew *= V / (V - 1)    # some words are drawn by themselves
    got = covered.float().mean().item(), drew, 1 - drew - covered.float().mean().item()
    if not close(got, (0.8, 0.1, 0.1), 0.025):
        blame(got, FATES, 0.015)
        shares = ", ".join(f"{100 * share:.0f}" for share in got)
        raise Mistake("wrong_shares", shares=shares)
    words = masked[drawn]
    counts = torch.bincount(words, minlength=mask)[FIRST:] / len(words)
    refuse(counts[-1] == 0, "last_never_drawn", last=mask - 1)
    # the word 4 is frequent, and so it is drawn by itself more often
    refuse(counts.max() > 2 * counts[1:].mean(), "uneven_words")
    masked, target = hidden(mask_words, ids, mask, rng, 0.3)
    share = (masked == mask)[target != PAD].double().mean().item()
    refuse(abs(share - 0.8) > 0.05, "one_die", got=100 * share)
    one = some_ids(300, 27, FIRST + 1, full=True)    # a language of one word
    masked, _ = hidden(mask_words, one, FIRST + 1, rng, 1.0)
    refuse((masked == FIRST + 1).float().mean() > 0.825, "mask_drawn")


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
    ("no_exp", "no_exp"), ("upside_down", "share"), ("base_two", "base_two"),
    ("summed", "summed"), ("late_mean", "words_late"), ("pads_counted", "pads_counted"),
    ("divided_by_places", "all_places"),
    ("mean_of_sentences", "rows_late", "rows", "all_rows"), ("ends_always", "always"),
    ("ends_never", "never"), ("ends_turned", "other_way"),
    ("ends_in_sum", "ends_in_sum"), ("ends_in_number", "pads_not_ends"),
    ("unknown_left_out", "specials_left_out")]


@exercise("21-2", points=1)
def check_21_2(text_perplexity):
    cases = list(some_losses())
    got = [number(ask(text_perplexity, *case)) for case in cases]
    right = [perplexity_by(*case) for case in cases]
    if not close(got, right):
        # a sentence without words makes some means nan
        real = [n for n, mine in enumerate(got) if not math.isnan(mine)]
        blame([got[n] for n in real], [
            (code, *[[perplexity_by(*cases[n], kind) for n in real] for kind in kinds])
            for code, *kinds in WRONG_PERPLEXITIES if real])
        (losses, target, ends), mine, wanted = next(
            row for row in zip(cases, got, right) if not close(*row[1:]))
        raise Mistake("wrong_number", target=target.tolist(), ends=ends, right=wanted,
                      got=mine)
    refuse(not close(number(text_perplexity(*cases[0][:2])),
                     perplexity_by(*cases[0][:2], True)), "other_default")
    stays_where_it_is(text_perplexity, *cases[0])


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
    "pads_counted", "reread", "softmax_twice", "no_pad_word", "words_alone", "late_log",
    "rows", "all_rows", "summed", "all_places", "sentences", "negative"]
LOSS_CODES = {"rows": "mean_of_sentences", "all_rows": "mean_of_sentences"}


@exercise("21-3", points=2)
def check_21_3(blank_loss):
    cases, got = list(some_logits()), []
    for logits, target in cases:
        returned = ask(blank_loss, logits, target)
        refuse(isinstance(returned, (int, float)), "no_tensor-number")
        shape = tuple(getattr(returned, "shape", ()))
        refuse(shape == (logits.shape[0], logits.shape[1]), "not_one_number",
               got=list(shape))
        got.append(tensor(returned, (), "loss"))
        if (target != PAD).any():    # of nothing the gradient is asked first
            other_kind(returned, logits, "loss")
    right = [loss_by(*case) for case in cases]
    if not close(got[:3], right[:3]):
        blame(got[:3], [(LOSS_CODES.get(kind, kind),
                         [loss_by(*case, kind) for case in cases[:3]])
                        for kind in WRONG_LOSSES])
        mine, wanted = next(row for row in zip(got, right) if not close(*row))
        raise Mistake("wrong_loss", right=wanted, got=mine)
    refuse(not close(got[3], right[3]), "none_chosen", got=got[3])
    for logits, target in cases:
        logits = logits.clone().requires_grad_()
        loss = blank_loss(logits, target)
        refuse(no_gradient(loss, [logits]) and not (target != PAD).any(), "new_zero")
        refuse(no_gradient(loss, [logits]), "detached")
        slopes = [torch.autograd.grad(made, logits)[0]
                  for made in (loss, loss_by(logits, target))]
        refuse(not slopes[0].isfinite().all(), "nan_gradient")
        refuse(not close(*slopes), "part_detached")
        other_kind(loss, logits, "loss")
    stays_where_it_is(blank_loss, *cases[0])


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
    ("run_on", "run_on", "run_on_but_pads"),
    ("one_late", "one_late", "one_late_but_pads"),
    ("pads_placed", "pads_too", "pads_on"), ("rows_joined", "rows_joined"),
    ("text_numbers", "numbers"), ("from_segment", "from_segment")]


def blocks_by(segments):
    """The mask, and those of common mistakes: code, the mask."""
    B, T = segments.shape
    words = (segments != PAD)[:, None, :].expand(B, T, T)
    same = segments[:, :, None] == segments[:, None, :]
    causal = torch.ones(T, T).bool().tril().expand(B, T, T)
    right = same & words
    return right, [
        ("inverted", ~right),
        ("pads_together", same),
        ("padding_alone", words),
        ("causal_too", right & causal),
        ("causal_alone", words & causal),
        ("not_itself", right & ~torch.eye(T).bool()),
        ("earlier_too", (segments[:, :, None] >= segments[:, None, :]) & words),
        ("others_alone", ~same & words),
        ("pads_see_themselves", right | torch.eye(T).bool()),
        ("pads_look", (same | (segments == PAD)[:, :, None]) & words)]


@exercise("21-4", points=2)
def check_21_4(packed_looks):
    found = []
    for segments in some_segments():
        (B, T), made = segments.shape, ask(packed_looks, segments)
        positions, allowed = pair(made)
        kinds = [getattr(part, "dtype", None) for part in (positions, allowed)]
        refuse(kinds[0] == torch.bool != kinds[1], "swapped")
        refuse(tuple(getattr(allowed, "shape", ())) == (T, T) != (B, T, T), "one_mask")
        refuse(tuple(getattr(positions, "shape", ())) == (T,) != (B, T), "one_row")
        tensor(positions, (B, T), "positions")
        tensor(allowed, (B, T, T), "mask")
        refuse(kinds[0].is_floating_point or kinds[0] == torch.bool, "no_whole_numbers",
               kind=kinds[0])
        refuse(kinds[1] != torch.bool, "no_bool", kind=kinds[1])
        found.append((segments, positions.cpu(), allowed.cpu()))
    mine, right = [row[1] for row in found], [places_by(row[0]) for row in found]
    if not close(mine, right):
        blame(mine, [(code, *[[places_by(row[0], kind) for row in found]
                              for kind in kinds]) for code, *kinds in WRONG_PLACES])
        segments, got, wanted = next((row[0], row[1], places) for row, places
                                     in zip(found, right) if not close(row[1], places))
        raise Mistake("wrong_positions", segments=segments.tolist(),
                      right=wanted.tolist(), got=got.tolist())
    masks = [blocks_by(row[0]) for row in found]
    if not all(torch.equal(row[2], wanted) for row, (wanted, _) in zip(found, masks)):
        for row in zip(*[likely for _, likely in masks]):
            blame([got for _, _, got in found], [(row[0][0], [m for _, m in row])])
        segments, got, wanted = next(
            (row[0], row[2], wanted) for row, (wanted, _) in zip(found, masks)
            if not torch.equal(row[2], wanted))
        b = next(b for b in range(len(got)) if not torch.equal(got[b], wanted[b]))
        raise Mistake("wrong_mask", segments=segments[b].tolist(),
                      right=grid(wanted[b]), got=grid(got[b]))
    stays_where_it_is(packed_looks, found[0][0])
