"""Checks for the exercises of chapter 22, the decoders of today."""

import torch

from softdict.checks.answers import (
    DETACHED, DIVIDED_BY_WIDTH, NOT_DIVIDED, ask, blame, close, no_gradient, number,
    pair, tensor, wrong_row)
from softdict.checks.ch11 import grid
from softdict.checks.result import Mistake, exercise, refuse


def other_kind(returned, given, name):
    """Raises Mistake if a tensor came back in another kind of number."""
    refuse(returned.dtype != given.dtype, "other_dtype", f"the {name} should be of the "
           f"same kind as what was given, {given.dtype}; yours is {returned.dtype}.")


def stays_where_it_is(answer, *given):
    """Raises Mistake if the answer makes tensors on the CPU for others elsewhere."""
    try:
        made = answer(*(part.detach().to("meta") if isinstance(part, torch.Tensor)
                        else part for part in given))
        made = made if isinstance(made, (tuple, list)) else [made]
        here = any(part.device.type == "cpu" for part in made)
    except Exception as error:    # a tensor on no device has no numbers to read
        here = any(words in str(error) for words in (
            "not on the expected device", "on the same device", "out of meta tensor"))
    refuse(here, "wrong_device", "yours makes a tensor on the CPU, wherever the given "
           "ones are; on a GPU that ends in an error. Make it with device=...")


# 22-1

# sentences, heads, key heads, words that ask and are asked, widths of keys and values
SIZES = [(2, 6, 2, 5, 7, 4, 3), (2, 6, 3, 5, 5, 4, 4), (1, 4, 1, 1, 6, 2, 5),
         (3, 3, 3, 4, 7, 2, 2), (2, 8, 4, 9, 9, 9, 3)]


def some_heads():
    """Queries, keys, values in float64, and masks with two axes or four."""
    chance = torch.Generator().manual_seed(221)
    for B, H, G, T, S, K, V in SIZES:
        query, key, value = (
            torch.randn(*shape, generator=chance, dtype=torch.float64).requires_grad_()
            for shape in ((B, H, T, K), (B, G, S, K), (B, G, S, V)))
        shape = (T, S) if G == 3 else (B, 1, T, S)
        allowed = torch.rand(*shape, generator=chance) < 0.6
        allowed[..., 0] = True    # no row is empty
        yield query, key, value, allowed


def grouped(query, key, value, allowed, kind="right"):
    """What the exercise asks for, or what comes of a common mistake."""
    (H, K), (G, S) = (query.shape[1], query.shape[-1]), key.shape[1:3]
    heads = {"in_turn": torch.arange(H) % G, "first_alone": torch.zeros(H).long(),
             "turned": G - 1 - torch.arange(H) // (H // G)}
    right = torch.arange(H) // (H // G)
    of_key = heads.get(kind, right)
    of_value = heads["in_turn"] if kind == "values_in_turn" else of_key
    if kind == "averaged":
        key, value = (part.mean(1, keepdim=True).expand_as(part)
                      for part in (key, value))
    root = {"not_divided": 1, "divided_by_width": K, "root_of_all": (H * K) ** 0.5,
            "root_of_length": S ** 0.5}.get(kind, K ** 0.5)
    scores = query @ key[:, of_key].mT / root
    allowed = {"no_mask": torch.ones_like(allowed), "inverted": ~allowed}.get(
        kind, allowed)
    if kind == "masked_by_zero":
        weights = (scores * allowed).softmax(-1)
    elif kind == "masked_too_late":
        weights = scores.softmax(-1) * allowed
    elif kind == "over_queries":
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(-2).nan_to_num()
    elif kind == "no_softmax":
        weights = scores * allowed
    else:
        weights = scores.masked_fill(~allowed, float("-inf")).softmax(-1)
        weights = weights.nan_to_num()
    return weights @ value[:, of_value]


WRONG_GROUPS = [
    ("in_turn", "yours deals the key heads out in turn: 0, 1, 0, 1. A group stands "
     "side by side: with 6 heads and 2 key heads, heads 0, 1, 2 share key head 0."),
    ("first_alone", "yours gives all heads key head 0; that is right only where there "
     "is no other."),
    ("turned", "the first heads share the first key head; yours begins with the last."),
    ("values_in_turn", "the keys are right, but the values are dealt out in turn; head "
     "h has the value head of its key head."),
    ("averaged", "yours averages keys and values over the heads; each group has its "
     "own."),
    ("no_mask", "yours lets words look where `allowed` is False."),
    ("inverted", "True means that a word may look; yours looks where it may not."),
    ("masked_by_zero", "a score of 0 still earns a share, exp(0) = 1; what is hidden "
     "needs minus infinity."),
    ("masked_too_late", "yours hides after the softmax, so a row no longer sums to 1; "
     "hide the scores before it."),
    ("over_queries", "for one query the shares of all keys sum to 1; yours sum to 1 "
     "for one key."),
    ("no_softmax", "your weights are the scores; a softmax makes them sum to 1."),
    NOT_DIVIDED, DIVIDED_BY_WIDTH,
    ("root_of_all", "yours divides by the root of the whole width; one head has K "
     "numbers."),
    ("root_of_length", "yours divides by the root of the number of keys; it is the "
     "width K that counts.")]


@exercise("22-1", points=2)
def check_22_1(grouped_attention):
    cases, got = list(some_heads()), []
    for case in cases:
        query, key, value, allowed = (part.detach() for part in case)
        returned = ask(grouped_attention, query, key, value, allowed,
                       advice="make new tensors")
        refuse(isinstance(returned, tuple), "not_one_thing", "return the "
               "context alone; `attention` returns two things, context and weights.")
        (B, H, T, _), (G, V) = query.shape, (key.shape[1], value.shape[-1])
        shape = tuple(getattr(returned, "shape", ()))
        refuse(shape == (B, G, T, V) != (B, H, T, V), "one_a_group", "your context "
               f"has {G} heads; each of the {H} query heads gets an answer of its own.")
        refuse(shape == (B, T, H * V), "merged", "yours puts the heads side by side "
               f"already; the context is [B, H, T, V], here {[B, H, T, V]}.")
        refuse(shape == (B, T, H, V) != (B, H, T, V), "heads_behind", "the axis of "
               f"heads stands in front of the words: {[B, H, T, V]}; yours has "
               f"{list(shape)}.")
        got.append(tensor(returned, (B, H, T, V), "context"))
        other_kind(returned, query, "context")
    right = [grouped(*case).detach() for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, [grouped(*case, code).detach() for case in cases])
                    for code, sentence in WRONG_GROUPS])
        for mine, wanted in zip(got, right):
            if not close(mine, wanted):
                wrong_row("wrong_context", "context", mine, wanted)
    for case in cases[:2]:
        same_gradients(grouped_attention, case)
        stays_where_it_is(grouped_attention, *case)
    return "each group looks with queries of its own, and shares what it looks at."


def same_gradients(answer, case):
    """Raises Mistake unless gradients go back to queries, keys and values."""
    query, key, value, allowed = case
    learned, out = (query, key, value), answer(*case)
    refuse(no_gradient(out, learned), *DETACHED)
    direction = torch.randn(out.shape, generator=torch.Generator().manual_seed(1),
                            dtype=out.dtype)
    slopes = [torch.autograd.grad((made * direction).sum(), learned)
              for made in (out, grouped(*case))]
    for name, mine, wanted in zip(("queries", "keys", "values"), *slopes):
        refuse(not close(mine, wanted), "part_detached", "the numbers are right, but "
               f"the gradient of the {name} is another: a part of it is cut off. Work "
               "with the tensors as they come.")


# 22-2

def some_rows():
    """Weights of queries or keys and their heads: matrices, square too, and biases."""
    chance = torch.Generator().manual_seed(222)
    for heads, K, *width in ((3, 4, 12), (2, 6, 7), (1, 8, 5), (5, 2, 3), (4, 10, 40),
                             (3, 8)):
        yield torch.randn(heads * K, *width, generator=chance,
                          dtype=torch.float64), heads


def in_halves(weight, heads, kind="right"):
    """Rows for pairs (i, i + K/2), from rows for (2i, 2i + 1); or a common mistake."""
    if kind == "unchanged":
        return weight
    if kind == "columns":
        fits = weight.dim() == 2 and weight.shape[1] % (2 * heads) == 0
        return in_halves(weight.mT, heads).mT if fits else weight
    if kind == "across_heads":
        heads = 1
    if kind == "heads_as_width":
        heads = len(weight) // heads
        if len(weight) // heads % 2:
            return weight
    rows = weight.unflatten(0, (heads, -1))
    even, odd = rows[:, 0::2], rows[:, 1::2]
    if kind == "odd_first":
        even, odd = odd, even
    if kind == "negated":
        odd = -odd
    if kind == "other_way":
        first, second = rows.chunk(2, dim=1)
        return torch.stack([first, second], dim=2).flatten(0, 2)
    return torch.cat([even, odd], dim=1).flatten(0, 1)


WRONG_ROWS = [
    ("across_heads", "yours puts the even rows of all heads in front, as the colleague "
     "does; each head has halves of its own."),
    ("other_way", "yours goes from halves to neighbours; it is asked from neighbours "
     "to halves."),
    ("odd_first", "yours puts the odd rows in front; the first number of a pair goes "
     "to the first half."),
    ("unchanged", "yours leaves the rows as they are."),
    ("columns", "yours sorts the columns. The numbers that are turned come out of the "
     "matrix, and each of them has a row."),
    ("negated", "yours changes signs; rows only move."),
    ("heads_as_width", "`heads` is the number of heads; in yours it is the width of "
     "one.")]


@exercise("22-2", points=2)
def check_22_2(to_halves):
    cases, got = list(some_rows()), []
    for weight, heads in cases:
        try:
            returned = ask(to_halves, weight, heads, advice="make a new tensor")
        except Mistake:
            raise
        except Exception:
            refuse(len(got) == len(cases) - 1 and weight.dim() == 1, "no_bias",
                   "yours stops at a bias, which has one axis, [H*K]; its numbers move "
                   "as the rows do.")
            raise
        got.append(tensor(returned, weight.shape, "new weight"))
        other_kind(returned, weight, "new weight")
    right = [in_halves(*case) for case in cases]
    if not close(got, right):
        blame(got, [(code, sentence, [in_halves(*case, code) for case in cases])
                    for code, sentence in WRONG_ROWS])
        for mine, wanted, (_, heads) in zip(got, right, cases):
            if not close(mine, wanted):
                mine, wanted = (part if part.dim() == 2 else part[:, None]
                                for part in (mine, wanted))
                wrong_row("wrong_rows", f"new weight of {heads} heads", mine, wanted)
    for weight, heads in (cases[0], cases[-1]):
        weight = weight.clone().requires_grad_()
        refuse(no_gradient(to_halves(weight, heads), [weight]), *DETACHED)
        stays_where_it_is(to_halves, weight, heads)
    return "within each head, first numbers in front and second numbers behind."


# 22-3

CONFIGS = [
    # Llama 2 7B; Llama 3 8B; Qwen3 8B; and one whose heads are wider than its share
    {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32},
    {"num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
     "num_key_value_heads": 8},
    {"num_hidden_layers": 36, "hidden_size": 4096, "num_attention_heads": 32,
     "num_key_value_heads": 8, "head_dim": 128},
    {"num_hidden_layers": 5, "hidden_size": 96, "num_attention_heads": 6,
     "num_key_value_heads": 2, "head_dim": 24},
    {"num_hidden_layers": 3, "hidden_size": 60, "num_attention_heads": 10,
     "num_key_value_heads": 1}]


def bytes_of(config, words, kind="right"):
    """Bytes of a cache in 16 bits, or those of a common mistake."""
    layers, width, heads = (config[name] for name in (
        "num_hidden_layers", "hidden_size", "num_attention_heads"))
    groups = config.get("num_key_value_heads", 1 if kind == "missing_is_one" else heads)
    K = width // heads if kind == "no_head_dim" else config.get(
        "head_dim", width // heads)
    if kind == "whole_width":
        groups, K = 1, width
    if kind == "all_heads":
        groups = heads
    if kind == "share_of_key_heads":
        K = config.get("head_dim", width // groups)
    count = layers * groups * K * words * 2 * 2
    return {"no_values": count / 2, "four_bytes": count * 2,
            "neither": count / 4, "bits": count * 8, "one_word": count / words,
            "one_layer": count / layers,
            "queries_too": count / 2 * (2 + heads / groups),
            "squared": count * words, "one_head": count / groups,
            "kibibytes": count / 1024, "mebibytes": count / 2 ** 20,
            "gibibytes": count / 2 ** 30, "megabytes": count / 1e6,
            "gigabytes": count / 1e9}.get(kind, count)


WRONG_BYTES = [
    (("all_heads", "whole_width"), "all_heads", "yours counts all heads; the cache "
     "keeps the *key* heads alone, where the config names them."),
    (("missing_is_one",), "missing_is_one", "a config without num_key_value_heads "
     "means that every head has keys of its own."),
    (("no_head_dim",), "no_head_dim", "where the config has head_dim, a head is so "
     "wide, whatever the width of the model is."),
    (("share_of_key_heads",), "share_of_key_heads", "a head's width is hidden_size by "
     "num_attention_heads; yours divides by the number of key heads."),
    (("no_values",), "half", "that is half of it. Keys and values are both kept, and a "
     "number of 16 bits has 2 bytes."),
    (("neither",), "numbers_of_keys", "yours is the number of numbers in the keys; "
     "values are kept too, and each number takes 2 bytes."),
    (("four_bytes",), "four_bytes", "yours is twice as much; a number of 16 bits has 2 "
     "bytes."),
    (("bits",), "bits", "that is the number of bits; bytes are asked for."),
    (("one_word",), "one_word", "that is one word's part; there are several."),
    (("one_layer",), "one_layer", "each layer has a cache of its own."),
    (("queries_too",), "queries_too", "queries are not kept: a word asks once, when it "
     "is new."),
    (("squared",), "squared", "the cache grows with the number of words, and not with "
     "its square."),
    (("one_head",), "one_head", "yours counts one key head; there may be several."),
    (("kibibytes", "mebibytes", "gibibytes", "megabytes", "gigabytes"), "larger_unit",
     "the answer is in bytes; yours is in a larger unit.")]


@exercise("22-3", points=1)
def check_22_3(cache_bytes):
    cases = [(config, words) for config in CONFIGS for words in (1, 7, 4096)]
    got = []
    for config, words in cases:
        given = dict(config)
        try:
            got.append(number(ask(cache_bytes, given, words)))
        except KeyError as error:
            refuse("num_key_value_heads" in str(error), "needs_key_heads", "a config "
                   "may have no num_key_value_heads; then every head has keys of its "
                   "own. `config.get` has a second argument for that.")
            refuse("head_dim" in str(error), "needs_head_dim", "a config may have no "
                   "head_dim; then a head has its share of hidden_size.")
            raise
        refuse(given != config, "changes_arguments",
               "yours changes the config that it was given.")
    right = [bytes_of(*case) for case in cases]
    if not close(got, right, 0.5):
        blame(got, [(code, sentence, *[[bytes_of(*case, kind) for case in cases]
                                       for kind in kinds])
                    for kinds, code, sentence in WRONG_BYTES], 1e-6)
        (config, words), mine, wanted = next(
            row for row in zip(cases, got, right) if not close(row[1], row[2], 0.5))
        raise Mistake("wrong_number", f"for {words} words and {config} it should be "
                      f"{wanted}; yours is {mine:g}.")
    return "the key heads alone count, and so much of a card is full before it begins."


# 22-4

def real_words(lengths, size):
    """real [B, S] of texts with pads in front."""
    return torch.arange(size) >= size - torch.tensor(lengths)[:, None]


LENGTHS = [([3, 5, 1], 5), ([2, 6], 7), ([4, 0, 2], 4), ([1], 1), ([6, 6], 6)]


def positions_of(real, kind="right"):
    """Positions of the words, or those of a common mistake."""
    size, count = real.shape[1], real.long().cumsum(1)
    places = torch.arange(size).expand_as(real)
    return {"counts_pads": places, "one_late": count, "below_zero": count - 1,
            "from_behind": (real.long().flip(1).cumsum(1) - 1).clamp(min=0).flip(1),
            "one_late_but_pads": count * real,
            "as_first_text": (places - (~real[:1]).sum()).clamp(min=0),
            "pads_on": (places - (~real).sum(1, keepdim=True)),
            "pads_by_size": (count - 1) % size}.get(kind, (count - 1).clamp(min=0))


WRONG_POSITIONS = [
    ("counts_pads", "yours counts the pads too; the first word of each text stands at "
     "position 0.", "counts_pads"),
    ("one_late", "in yours the first word stands at position 1; it is position 0.",
     "one_late", "one_late_but_pads"),
    ("below_zero", "yours has positions below 0 at pads; a table has no row for them, "
     "so a pad's position is 0.", "below_zero", "pads_on", "pads_by_size"),
    ("from_behind", "yours counts from the last word; positions count from the first.",
     "from_behind"),
    ("as_first_text", "yours moves all texts as the first one; each has pads of its "
     "own.", "as_first_text")]


def masks_of(real):
    """Masks of common mistakes: code, sentence, the mask."""
    B, S = real.shape
    words = real[:, None].expand(B, S, S)
    causal, ahead, without = (torch.ones(S, S).bool().tril(far).expand(B, S, S)
                              for far in (0, 1, -1))
    return words & causal, [
        ("inverted", "True means that a word may look; yours says what is hidden.",
         ~(words & causal)),
        ("either", "a word may look if both rules allow it; yours asks for one.",
         words | causal),
        ("no_padding", "yours lets words look at pads.", causal),
        ("no_future", "yours lets words look at what comes later.", words),
        ("sees_future", "yours is turned over: rows ask and columns are asked, so a "
         "word looks at its left.", words & causal.mT),
        ("one_ahead", "yours lets each word see the one after it.", words & ahead),
        ("not_itself", "in yours no word may look at itself; it may.", words & without),
        ("pads_hidden_as_rows", "yours hides the rows of pads; nobody may look *at* a "
         "pad, so it is their columns.", words.mT & causal)]


@exercise("22-4", points=2)
def check_22_4(placed):
    found = []
    for lengths, size in LENGTHS:
        real = real_words(lengths, size)
        B, S = real.shape
        positions, allowed = pair(ask(placed, real), "the positions", "the mask")
        kinds = [getattr(part, "dtype", None) for part in (positions, allowed)]
        refuse(kinds[0] == torch.bool != kinds[1], "swapped",
               "return the positions first and the mask second.")
        refuse(getattr(positions, "shape", None) == (S,) != (B, S), "one_text",
               "each text has positions of its own: [B, S].")
        refuse(getattr(allowed, "shape", None) == (S, S) != (B, S, S), "one_mask",
               "each text has a mask of its own: [B, S, S].")
        refuse(getattr(allowed, "shape", None) == (B, S), "no_rows", "the mask has a "
               "row for each word that looks: [B, S, S].")
        tensor(positions, (B, S), "positions")
        tensor(allowed, (B, S, S), "mask")
        refuse(kinds[0].is_floating_point or kinds[0] == torch.bool, "no_whole_numbers",
               f"positions are whole numbers; yours are {kinds[0]}.")
        refuse(kinds[1] != torch.bool, "no_bool", "the mask should hold True and "
               f"False; yours holds {kinds[1]}.")
        found.append((real, positions.cpu(), allowed.cpu()))
    right = [positions_of(real) for real, _, _ in found]
    mine = [positions for _, positions, _ in found]
    blame(mine, [(code, sentence, *[[positions_of(real, kind) for real, _, _ in found]
                                    for kind in kinds])
                 for code, sentence, *kinds in WRONG_POSITIONS
                 if not close(mine, right)])
    for got, wanted, (real, _, _) in zip(mine, right, found):
        refuse(not torch.equal(got, wanted), "wrong_positions", f"where the words are "
               f"{grid(real)}, the positions should be {wanted.tolist()}; yours are "
               f"{got.tolist()}.")
    masks = [masks_of(real) for real, _, _ in found]
    if not all(torch.equal(got, wanted)
               for (_, _, got), (wanted, _) in zip(found, masks)):
        for row in zip(*[likely for _, likely in masks]):
            blame([got for _, _, got in found], [(*row[0][:2], [m for _, _, m in row])])
        real, got, wanted = next((real, got, wanted) for (real, _, got), (wanted, _)
                                 in zip(found, masks) if not torch.equal(got, wanted))
        b = next(b for b in range(len(got)) if not torch.equal(got[b], wanted[b]))
        raise Mistake("wrong_mask", f"where the words are {grid(real[b:b + 1])}, the "
                      f"rows should be {grid(wanted[b])}; yours are {grid(got[b])}.")
    stays_where_it_is(placed, found[0][0])
    return "pads in front change nothing: no place counts them, and nobody sees them."
