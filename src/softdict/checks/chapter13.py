"""Checks for the exercises of chapter 13, the whole machine."""

import torch
from torch import nn

from softdict.attention import scaled_dot
from softdict.checks.result import Mistake, attempt, close, exercise, number, pair, short
from softdict.heads import MultiHeadAttention
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import Transformer


def tensor(returned, shape, name):
    """The tensor that the reader's function returned; raises Mistake unless it has this shape."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"the {name} should be a tensor; yours are of type {type(returned).__name__}.")
    if tuple(returned.shape) != shape:
        raise Mistake("wrong_shape", f"the {name} should be {list(shape)} here; yours are {list(returned.shape)}.")
    return returned.detach().double()


def unchanged(given, kept):
    """Raises Mistake unless the arguments are as they were."""
    if not all(map(torch.equal, given, kept)):
        raise Mistake("changes_arguments", "yours changes what it was given; work on new tensors.")


class Parts:
    """A decoder layer in parts that remember what they were asked."""

    def __init__(self, width):
        self.looks = [MultiHeadAttention(width, 3).double() for _ in range(2)]
        self.think_matrix = torch.randn(width, width).double()
        self.gains = torch.randn(3, width).double()
        self.asked = []    # (part, its source, its mask)

    def look(self, n):
        def find(x, y, allowed=None):
            self.asked.append((n, x, y, allowed))
            return self.looks[n](x, y, allowed)[0]
        return find

    def think(self, words):
        return (words @ self.think_matrix).relu()

    def norms(self):
        return [lambda words, gain=gain: nn.functional.layer_norm(words, words.shape[-1:]) * gain
                for gain in self.gains]

    def arguments(self):
        return self.look(0), self.look(1), self.think, self.norms()


def steps(words, states, lengths, look, ask, think, norms, order=(0, 1, 2), added=(1, 1, 1), own=None, causal=True,
          padded=True, source=None, which=(0, 1, 2), post=False, path=False, turn=()):
    """A decoder layer in which one thing at a time can be wrong."""
    causal = causal_mask(words.shape[1]) if causal else None
    pads = padding_mask(lengths, states.shape[1])[:, None] if padded else None
    causal = ~causal if 0 in turn else causal
    pads = ~pads if 1 in turn else pads
    for n in order:
        norm = norms[which[n]]
        reads = words if post else norm(words)
        if n == 0:
            found = look(reads, own(words, reads) if own else reads, causal)
        elif n == 1:
            found = ask(reads, source(states, norm) if source else states, pads)
        else:
            found = think(reads)
        words = added[n] * (reads if path else words) + found
        words = norm(words) if post else words
    return words


@exercise("13-1", points=3)
def check_13_1(decoder_layer):
    torch.manual_seed(21)
    for B, T, S, lengths in ((2, 5, 7, [4, 7]), (3, 4, 3, [3, 1, 2])):
        parts, lengths = Parts(12), torch.tensor(lengths)
        kept = torch.randn(B, T, 12).double(), torch.randn(B, S, 12).double(), lengths
        given = [item.clone() for item in kept]
        try:
            returned = decoder_layer(*given, *parts.arguments())
        except (ValueError, RuntimeError) as error:
            explain_masks(parts, T, S, B, error)
            raise
        got = tensor(returned, kept[0].shape, "new words")
        unchanged(given, kept)
        asked = list(parts.asked)
        with torch.no_grad():
            if close(got, steps(*kept, *parts.arguments())):
                continue
            for code, options, sentence in likely_layers():
                try:
                    wrong = steps(*kept, *parts.arguments(), **options)
                except (ValueError, RuntimeError):
                    continue
                if close(got, wrong):
                    raise Mistake(code, sentence)
        wrong_masks(asked, T, S, lengths)
        raise Mistake("wrong_words", "the new words are not those of a pre-norm decoder layer; three times: norm, "
                                     "sub-layer, sum.")
    return "it looks back, asks the source, and thinks."


def wrong_masks(asked, T, S, lengths):
    """Raises Mistake if a mask that was handed over hides or shows the wrong words."""
    right = causal_mask(T), padding_mask(lengths, S)[:, None]
    sentences = ("the mask of `look` is not the causal one: a word may look at itself and at what stands before it.",
                 "the mask of `ask` should be True for the states that are real, and for no others.")
    for n, _, _, allowed in asked:
        wanted = right[n].expand(len(lengths), T, -1)
        if allowed is not None and not torch.equal(allowed.expand_as(wanted), wanted):
            raise Mistake("wrong_mask", sentences[n])


def explain_masks(parts, T, S, B, error):
    """Raises the Mistake that explains a mask, or words, that did not fit."""
    if not parts.asked:
        return
    n, x, source, allowed = parts.asked[-1]
    if not all(isinstance(item, torch.Tensor) and item.dim() == 3 for item in (x, source)):
        return
    if not (allowed is None or isinstance(allowed, torch.Tensor)):
        return
    if n == 1 and x.shape[1] == S and source.shape[1] == T:
        raise Mistake("turned", "in `ask` your states ask the words; the words should ask the states.") from error
    if n == 1 and source.shape[1] == T:
        raise Mistake("asks_itself", "the words ask themselves in the second sub-layer; they should ask the "
                                     "states.") from error
    if n == 1 and allowed is not None and allowed.dim() > 3:
        raise Mistake("mask_axis", f"the axis of the heads is added for you: the mask of `ask` is [{B}, 1, {S}] "
                                   "here.") from error
    if n == 1 and allowed is not None and tuple(allowed.shape) == (B, S):
        raise Mistake("mask_axis", f"the mask of `ask` is [{B}, {S}] here; it needs an axis of 1 for the words that "
                                   f"ask: [{B}, 1, {S}].") from error
    if n == 1 and allowed is not None and allowed.shape[-1] != S:
        raise Mistake("mask_of_words", f"the words ask {S} states here, so the last axis of that mask is {S}; yours "
                                       f"is {allowed.shape[-1]}.") from error
    if n == 0 and source.shape[1] == S:
        raise Mistake("looks_at_source", "the words look at the states in the first sub-layer; they look among "
                                         "themselves there.") from error


def likely_layers():
    """Code, options and sentence of the mistakes that `steps` can make."""
    return [
        ("no_causal_mask", {"causal": False}, "your words see those that come later; `look` needs its mask."),
        ("no_source_mask", {"padded": False}, "your words look at the pads of the source; `ask` needs its mask."),
        ("no_masks", {"causal": False, "padded": False}, "both looks need their masks."),
        ("raw_source", {"own": lambda words, reads: words}, "in the first sub-layer both sides go through the norm: "
                                                            "yours asks with normalised words among raw ones."),
        ("states_normalised", {"source": lambda states, norm: norm(states)},
         "the states were normalised by the encoder; leave them as they are."),
        ("ask_first", {"order": (1, 0, 2)}, "yours asks the source before it looks at its own words."),
        ("think_early", {"order": (0, 2, 1)}, "yours thinks before it asks the source."),
        ("no_question", {"order": (0, 2)}, "yours leaves out the second sub-layer, `ask`."),
        ("no_thought", {"order": (0, 1)}, "yours leaves out the third sub-layer, `think`."),
        ("one_norm", {"which": (0, 0, 0)}, "each sub-layer has a norm of its own; yours uses the first for all."),
        ("post_norm", {"post": True}, "that is post-norm, which normalises the sums; here each sub-layer *reads* "
                                      "through its norm."),
        ("norm_on_path", {"path": True}, "your norms replace the words; only what a sub-layer reads goes through its "
                                         "norm."),
        ("causal_turned", {"turn": (0,)}, "your causal mask is turned over: True means may look."),
        ("pads_turned", {"turn": (1,)}, "your padding mask is turned over: True means may look."),
        ("masks_turned", {"turn": (0, 1)}, "both masks are turned over: True means may look."),
        ("not_added", {"added": (0, 0, 0)}, "yours replaces the words by what was found; add it to them."),
        ("not_added", {"added": (1, 0, 1)}, "what the source says replaces the words; it should be added to them."),
        ("not_added", {"added": (0, 1, 1)}, "what the first look finds replaces the words; it should be added."),
        ("not_added", {"added": (1, 1, 0)}, "what was thought replaces the words; it should be added."),
    ]


@exercise("13-2", points=2)
def check_13_2(right_ask):
    torch.manual_seed(22)
    for B, T, S, lengths in ((2, 5, 5, [5, 2]), (2, 4, 7, [3, 7]), (3, 6, 2, [2, 1, 2])):
        layer, lengths = MultiHeadAttention(12, 3).double(), torch.tensor(lengths)
        kept = torch.randn(B, T, 12).double(), torch.randn(B, S, 12).double(), lengths
        given = [item.clone() for item in kept]
        words, states, _ = kept
        returned = pair(attempt(
            lambda: right_ask(layer, *given),
            ("must be [..., T, S]", "mask_shape", "the mask does not fit the scores: it should be [B, 1, S], with the "
                                                  "pads of the source."),
            ("Expected size for first two dimensions", "mixed", "keys and values must be as many: both come from the "
                                                                "same sentence.")))
        if returned[1] is None:
            raise Mistake("no_weights", "the weights are None; ask `attend` for them.")
        shapes = [tuple(part.shape) if isinstance(part, torch.Tensor) else None for part in returned]
        if shapes == [(B, S, 12), (B, 3, S, T)] and S != T:
            raise Mistake("turned", f"{T} words ask here, and {S} answers come back: who asks?")
        if shapes[0] == (B, 3, T, S):
            raise Mistake("swapped", "return what was found first and the weights second.")
        found, weights = tensor(returned[0], (B, T, 12), "answers"), tensor(returned[1], (B, 3, T, S), "weights")
        unchanged(given, kept)
        pads = padding_mask(lengths, S)[:, None]
        with torch.no_grad():
            if all(map(close, (found, weights), layer(words, states, pads, need_weights=True))):
                continue
            likely = [
                ("no_mask", layer(words, states, None, need_weights=True), "the right language asks now, and pads of "
                                                                           "the source still get weight."),
                ("turned", layer(states, words, None, need_weights=True), "English still asks Korean."),
                ("turned", layer(states, words, pads, need_weights=True), "English still asks Korean."),
                ("asks_itself", layer(words, words, pads, need_weights=True), "the words ask themselves; they should "
                                                                              "ask the states."),
                ("asks_itself", layer(words, words, None, need_weights=True), "the words ask themselves; they should "
                                                                              "ask the states.")] if S == T else [
                ("no_mask", layer(words, states, None, need_weights=True), "the right language asks now, and pads of "
                                                                           "the source still get weight.")]
            for code, wrong, sentence in likely:
                if all(map(close, (found, weights), wrong)):
                    raise Mistake(code, sentence)
            if S == T:
                key, value = layer.keys_and_values(states)[0], layer.keys_and_values(words)[1]
                if close(found, layer.attend(layer.queries(words), key, value, pads)[0]):
                    raise Mistake("value_of_words", "the values come from the words; what is found should be made of "
                                                    "the source.")
                if close(weights, layer(words, states, pads & causal_mask(T), need_weights=True)[1]):
                    raise Mistake("causal", "the whole source is there: no word of it is hidden for coming later.")
        if not close(weights[lengths.argmin(), :, :, lengths.min():], torch.zeros(3, T, S - int(lengths.min()))):
            raise Mistake("pads_seen", "some weight still goes to pads of the source.")
        right = layer(words, states, pads, need_weights=True)[1].detach()
        if close(weights, right):
            raise Mistake("wrong_found", "the weights are right, but what is found is not what `attend` returns.")
        far = (weights - right).abs().amax(dim=-1)    # [B, H, T]
        b, h, t = (int(place) for place in torch.unravel_index(far.argmax(), far.shape))
        raise Mistake("wrong_answers", f"row {t} of sentence {b}, head {h}, should be {short(right[b, h, t])}; yours is "
                                       f"{short(weights[b, h, t])}.")
    return "Korean asks, English answers, and no pad is heard."


@exercise("13-3", points=2)
def check_13_3(tie):
    torch.manual_seed(23)
    model = Transformer(11, 9, 12, 3, 1, 20, dropout=0.0, tied=False)
    kept = {name: item.detach().clone() for name, item in model.state_dict().items()}
    before = sum(item.numel() for item in model.parameters())
    new = attempt(lambda: tie(model),
                  ("as child module", "no_linear", "the generator should stay a Linear; share only its weight."),
                  ("cannot assign", "not_a_parameter", "PyTorch wants a parameter there: hand over the parameter "
                                                        "itself, and not its numbers."))
    if isinstance(new, nn.Module) and new is not model:
        raise Mistake("another_model", "change the model that you were given; there is no need for another.")
    if not isinstance(model.generator, nn.Linear):
        raise Mistake("no_linear", "the generator should stay a Linear; share only its weight.")
    table, matrix = model.decoder.embedding.table.weight, model.generator.weight
    if table is not matrix and model.encoder.embedding.table.weight is matrix:
        raise Mistake("wrong_table", "yours shares the English table; the generator scores Korean words.")
    if tuple(matrix.shape) != (9, 12) or tuple(table.shape) != (9, 12):
        raise Mistake("transposed", "both matrices are [V, D] as they are: nothing has to be turned.")
    numbers = kept["decoder.embedding.table.weight"], kept["generator.weight"]
    if table is not matrix:
        if table.data_ptr() == matrix.data_ptr():
            raise Mistake("two_parameters", "the numbers are shared, but there are two parameters for them: an "
                                            "optimiser would move them twice.")
        if torch.equal(table, matrix):
            raise Mistake("copied", "the numbers are equal today; after one update they will not be. Share the matrix "
                                    "itself.")
        raise Mistake("not_tied", "embedding and generator still have matrices of their own.")
    if torch.equal(table, numbers[1]):
        raise Mistake("wrong_direction", "the shared numbers are the generator's; keep those of the embedding.")
    if not torch.equal(table, numbers[0]):
        raise Mistake("other_numbers", "the shared numbers are neither's; keep those of the embedding.")
    bias = getattr(model.generator, "bias", None)
    if bias is None or not torch.equal(bias, kept["generator.bias"]):
        raise Mistake("bias", "leave the generator's bias as it was.")
    if any(not torch.equal(item, kept[name]) for name, item in model.state_dict().items()
           if name not in ("generator.weight", "decoder.embedding.table.weight")):
        raise Mistake("changes_more", "something else in the model has changed too.")
    if not table.requires_grad or sum(item.numel() for item in model.parameters()) != before - 9 * 12:
        raise Mistake("not_learned", "the shared matrix should still be a parameter that learns.")
    return "one matrix, and 108 numbers fewer."


def counted(source_words, target_words, width, layers, hidden, tied, bias=1, last=2, reads=2, writes=3, looks=2,
            generator_bias=1):
    """How many numbers a Transformer learns, with parts that can be left out."""
    look = 4 * (width * width + bias * width)
    think = 2 * width * hidden + bias * (hidden + width)
    norm = 2 * width
    tables = (source_words + target_words + (0 if tied else target_words)) * width
    return (layers * ((1 + looks) * look + 2 * think + (reads + writes) * norm) + last * norm
            + tables + generator_bias * target_words)


@exercise("13-4", points=2)
def check_13_4(parameters):
    for sizes, tied in (((70, 90, 12, 3, 3, 20), True), ((31, 17, 8, 2, 5, 40), False),
                        ((10000, 8000, 512, 8, 6, 2048), True), ((50, 60, 12, 4, 1, 48), False)):
        source_words, target_words, width, _, layers, hidden = sizes
        got = number(parameters(*sizes, tied))
        with torch.device("meta"):
            model = Transformer(source_words, target_words, *sizes[2:], tied=tied)
        right = sum(item.numel() for item in model.parameters())
        if got == right:
            continue
        plain = source_words, target_words, width, layers, hidden
        likely = [
            ("tied_ignored", counted(*plain, not tied), "the two kinds of generator are mixed up: a tied one shares "
                                                        "its matrix with the target's table."),
            ("no_biases", counted(*plain, tied, bias=0, generator_bias=0), "every Linear has a bias."),
            ("no_biases", counted(*plain, tied, bias=0), "every Linear in the layers has a bias."),
            ("generator_bias", counted(*plain, tied, generator_bias=0), "the generator has a bias, tied or not."),
            ("last_norms", counted(*plain, tied, last=0), "each stack has one more norm at its end."),
            ("last_norms", counted(*plain, tied, last=1), "both stacks have one more norm at their end."),
            ("decoder_like_encoder", counted(*plain, tied, looks=1, writes=2), "a decoder layer has a second look, "
                                                                               "with a norm of its own."),
            ("second_look", counted(*plain, tied, looks=1), "a decoder layer looks twice."),
            ("third_norm", counted(*plain, tied, writes=2), "a decoder layer has three norms, one for each sub-layer."),
            ("one_norm", counted(*plain, tied, reads=1, writes=1), "each sub-layer has a norm of its own."),
            ("no_norms", counted(*plain, tied, reads=0, writes=0, last=0), "norms learn a gain and a bias for each "
                                                                           "feature."),
            ("one_layer", counted(source_words, target_words, width, 1, hidden, tied), "there are several layers on "
                                                                                       "each side, none of them "
                                                                                       "shared."),
            ("no_tables", right - (source_words + target_words) * width, "the two tables of word vectors are missing."),
            ("one_table", right - source_words * width, "the source has a table of its own."),
        ]
        for code, wrong, sentence in likely:
            if got == wrong and wrong != right:
                raise Mistake(code, sentence)
        heads = sizes[3]
        if got == right + layers * 3 * 4 * (heads - 1) * (width * width + width):
            raise Mistake("times_heads", "the heads share the width: their number does not change the count.")
        raise Mistake("wrong_number", f"for {source_words} and {target_words} words, width {width}, {layers} layers "
                                      f"and inner width {hidden}, tied={tied}, it learns {right:,} numbers; yours is "
                                      f"{got:,.0f}.")
    return "and the number of heads did not matter."


@exercise("13-5", points=3)
def check_13_5(best_key):
    torch.manual_seed(24)
    T, S, K = 5, 7, 4
    some = torch.rand(2, 3, T, S) < 0.4
    some[1, 2, 3] = False    # this query may look at nothing
    for allowed in (None, some, padding_mask(torch.tensor([7, 3]), S)[:, None, None], causal_mask(S)[-T:]):
        kept = torch.randn(2, 3, T, K), torch.randn(2, 3, S, K), torch.randn(2, 3, S, K)
        if allowed is not None and allowed is not some:
            kept[0][0, 0] = 0    # all keys are equally good
        scores = scaled_dot(*kept[:2])
        hidden = torch.zeros_like(scores, dtype=torch.bool) if allowed is None else ~allowed.broadcast_to(scores.shape)
        given = [item.clone() for item in kept]
        returned = pair(best_key(*given) if allowed is None else best_key(*given, allowed.clone()))
        if all(isinstance(item, torch.Tensor) for item in returned):
            if tuple(returned[0].shape) == tuple(scores.shape) and tuple(returned[1].shape) == tuple(kept[0].shape):
                raise Mistake("swapped", "return the context first and the weights second.")
        context = tensor(returned[0], tuple(kept[0].shape), "contexts")
        weights = tensor(returned[1], tuple(scores.shape), "weights")
        unchanged(given, kept)
        if not returned[0].dtype.is_floating_point or not returned[1].dtype.is_floating_point:
            raise Mistake("whole_numbers", "the weights should be of the dtype of the scores; yours are whole numbers.")
        right = hard(scores, hidden)
        if close(weights, right) and close(context, right @ kept[2].double()):
            continue
        raise Mistake(*explained(weights, context, scores, hidden, kept))
    return "0 and 1, as in chapter 01."


def hard(scores, hidden):
    """Weights of 1 for the first of the best keys that are not hidden."""
    best = scores.masked_fill(hidden, float("-inf")).argmax(dim=-1)
    return nn.functional.one_hot(best, scores.shape[-1]).double() * ~hidden


def explained(weights, context, scores, hidden, kept):
    """Code and sentence of the likely mistake in weights and contexts."""
    nowhere = hidden.all(dim=-1)
    filled = scores.masked_fill(hidden, float("-inf"))
    if weights.isnan().any() or context.isnan().any():
        return "no_number", "a query that may look at nothing gets weights of 0; yours are not numbers."
    if close(weights, hard(scores, hidden)):
        return "wrong_context", "the weights are right; the context is the value of the best key."
    if ((weights != 0) & hidden & ~nowhere[..., None]).any():
        return "sees_hidden", "a hidden key was taken; hidden scores must lose before the best is chosen."
    if (weights[nowhere] != 0).any():
        return "looks_nowhere", "a query that may look at nothing gets weights of 0; yours takes a key all the same."
    if close(weights, (filled.masked_fill(nowhere[..., None], 0)).softmax(dim=-1) * ~hidden):
        return "soft", "those are softmax weights: the best key should get all."
    if close(weights, hard(-scores, hidden)):
        return "worst_key", "yours takes the worst key."
    late = nn.functional.one_hot(scores.argmax(dim=-1), scores.shape[-1]).double() * ~hidden
    if close(weights, late):
        return "masked_late", "a hidden key won and was struck out afterwards; hide scores before you choose."
    zeroed = nn.functional.one_hot((scores * ~hidden).argmax(dim=-1), scores.shape[-1]).double() * ~hidden
    if close(weights, zeroed):
        return "scores_zero", "a hidden score of 0 can still be the best; then the query gets nothing."
    best = (filled == filled.max(dim=-1, keepdim=True).values) & ~hidden
    taken = ((weights == 1) & best).any(dim=-1).equal(best.any(dim=-1))    # one of the best, or several
    if taken or close(weights, best.double() / best.sum(dim=-1, keepdim=True).clamp(min=1)):
        return "all_best", "of equally good keys, take the first alone."
    query, key = kept[:2]
    over_queries = nn.functional.one_hot(filled.argmax(dim=-2), scores.shape[-2]).double().transpose(-2, -1)
    if close(weights, over_queries * ~hidden):
        return "over_queries", "yours looks for the best query of each key; each query wants its best key."
    lengths = query.double().norm(dim=-1, keepdim=True) * key.double().norm(dim=-1)[..., None, :]
    if close(weights, hard(scores / lengths.clamp(min=1e-9).to(scores.dtype), hidden)):
        return "cosine", "yours compares directions; the score is the dot product."
    return "wrong_weights", "the 1 does not stand at the key with the highest score."
