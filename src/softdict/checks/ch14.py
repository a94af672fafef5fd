"""Checks for the exercises of chapter 14, the whole machine."""

from itertools import product

import torch
from torch import nn

from softdict.attention import attention, scaled_dot
from softdict.checks.answers import (
    NO_MASK_GIVEN, ask, blame, close, copies, no_gradient, number, pair, something,
    tensor, two_tensors, unchanged, wrong_row)
from softdict.checks.result import Mistake, attempt, exercise, refuse
from softdict.heads import MultiHeadAttention
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant


class Parts:
    """A decoder layer in parts that remember what they were asked."""

    def __init__(self, width):
        self.layers = nn.ModuleList(
            MultiHeadAttention(width, 3).double() for _ in range(2))
        self.matrix = torch.randn(width, width).double()
        self.gains = torch.randn(3, width).double()
        self.asked = []    # (part, its x, its source, its mask)

    def attention(self, n):
        def answers(x, source, allowed=None):
            self.asked.append((n, x, source, allowed))
            return self.layers[n](x, source, allowed)
        return answers

    def feed_forward(self, x):
        return (x @ self.matrix).relu()

    def norms(self):
        return [lambda x, gain=gain: nn.functional.layer_norm(x, x.shape[-1:]) * gain
                for gain in self.gains]

    def arguments(self):
        return self.attention(0), self.attention(1), self.feed_forward, self.norms()


def steps(x, memory, lengths, self_attention, cross_attention, feed_forward, norms,
          order=(0, 1, 2), added=(1, 1, 1), own=None, causal=True, padded=True,
          source=None, which=(0, 1, 2), post=False, path=False, turn=(), apart=False):
    """A decoder layer in which one thing at a time can be wrong."""
    causal = causal_mask(x.shape[1]) if causal else None
    pads = padding_mask(lengths, memory.shape[1])[:, None] if padded else None
    causal = ~causal if 0 in turn else causal
    pads = ~pads if 1 in turn else pads
    first = x
    for n in order:
        norm = norms[which[n]]
        reads = x if post else norm(first if apart else x)
        if n == 0:
            found = self_attention(reads, own(x, reads) if own else reads, causal)
        elif n == 1:
            found = cross_attention(reads, source(memory, norm) if source else memory,
                                    pads)
        else:
            found = feed_forward(reads)
        x = added[n] * (reads if path else x) + found
        x = norm(x) if post else x
    return x


def keeps_gradients(returned, right, learned):
    """Raises Mistake unless as much gradient flows back as through the right answer."""
    refuse(no_gradient(returned, learned[:1]), "detached")
    direction = torch.randn_like(right)
    got, wanted = ([torch.zeros(()) if slope is None else slope for slope in
                    torch.autograd.grad((one * direction).sum(), learned,
                                        retain_graph=True, allow_unused=True)]
                   for one in (returned, right))
    refuse(not all(close(one, other) for one, other in zip(got, wanted)),
           "detached-some")


@exercise("14-1", points=2)
def check_14_1(decoder_layer):
    torch.manual_seed(21)
    for B, T, S, lengths in ((2, 5, 7, [4, 7]), (3, 4, 3, [3, 1, 2])):
        parts, lengths = Parts(12), torch.tensor(lengths)
        kept = (torch.randn(B, T, 12).double().requires_grad_(),
                torch.randn(B, S, 12).double().requires_grad_(), lengths)
        given = copies(kept)
        try:
            returned = decoder_layer(*given, *parts.arguments())
        except (ValueError, RuntimeError):
            explain_masks(parts, T, S, B)
            raise
        got = tensor(something(returned), kept[0].shape, "new_x")
        unchanged(given, kept)
        asked = list(parts.asked)
        right = steps(*kept, *parts.arguments())
        if close(got, right):
            keeps_gradients(returned, right, [*kept[:2], *parts.layers.parameters()])
            continue
        with torch.no_grad():
            for code, options in likely_layers():
                try:
                    wrong = steps(*kept, *parts.arguments(), **options)
                except (ValueError, RuntimeError):
                    continue
                refuse(close(got, wrong), code)
        wrong_masks(asked, T, S, lengths)
        raise Mistake("wrong_words")


def wrong_masks(asked, T, S, lengths):
    """Raises Mistake if a mask that was handed over hides or shows the wrong words."""
    right = ((causal_mask(T), "wrong_mask-causal"),
             (padding_mask(lengths, S)[:, None], "wrong_mask-padding"))
    for n, _, _, allowed in asked:
        wanted = right[n][0].expand(len(lengths), T, -1)
        refuse(allowed is not None
               and not torch.equal(allowed.expand_as(wanted), wanted), right[n][1])


def explain_masks(parts, T, S, B):
    """Raises the Mistake that explains a mask, or words, that did not fit."""
    if not parts.asked:
        return
    n, x, source, allowed = parts.asked[-1]
    tensors = [x, source] if allowed is None else [x, source, allowed]
    if not all(isinstance(item, torch.Tensor) for item in tensors):
        return
    if (x.dim(), source.dim()) != (3, 3):
        return
    if n == 0:
        refuse(source.shape[1] == S, "attends_to_source")
        return
    refuse(x.shape[1] == S and source.shape[1] == T, "turned")
    refuse(source.shape[1] == T, "queries_itself")
    shape = [B, 1, S] if allowed is None else list(allowed.shape)
    refuse(len(shape) > 3, "mask_axis-heads", B=B, S=S)
    refuse(shape == [B, S], "mask_axis-queries", B=B, S=S)
    refuse(shape[-1:] != [S], "mask_of_words", S=S, shape=shape)


def likely_layers():
    """Codes and options of the mistakes that `steps` can make."""
    return [
        ("no_causal_mask", {"causal": False}),
        ("no_source_mask", {"padded": False}),
        ("no_masks", {"causal": False, "padded": False}),
        ("raw_source", {"own": lambda x, reads: x}),
        ("states_normalised", {"source": lambda memory, norm: norm(memory)}),
        ("cross_attention_first", {"order": (1, 0, 2)}),
        ("feed_forward_early", {"order": (0, 2, 1)}),
        ("no_cross_attention", {"order": (0, 2)}),
        ("no_feed_forward", {"order": (0, 1)}),
        ("one_norm", {"which": (0, 0, 0)}),
        ("all_at_once", {"apart": True}),
        ("post_norm", {"post": True}),
        ("norm_on_path", {"path": True}),
        ("causal_turned", {"turn": (0,)}),
        ("pads_turned", {"turn": (1,)}),
        ("masks_turned", {"turn": (0, 1)}),
        ("not_added", {"added": (0, 0, 0)}),
        ("not_added-cross", {"added": (1, 0, 1)}),
        ("not_added-self", {"added": (0, 1, 1)}),
        ("not_added-feed_forward", {"added": (1, 1, 0)}),
        *(("norms_mixed", {"which": which}) for which in product(range(3), repeat=3))]


@exercise("14-2", points=2)
def check_14_2(cross_attention):
    torch.manual_seed(22)
    for B, T, S, lengths in ((2, 5, 5, [5, 2]), (2, 4, 7, [3, 7]),
                             (3, 6, 2, [2, 1, 2])):
        # the plain attention, since it complains where keys and values do not fit
        layer = MultiHeadAttention(12, 3, attention).double()
        lengths = torch.tensor(lengths)
        kept = (torch.randn(B, T, 12).double().requires_grad_(),
                torch.randn(B, S, 12).double().requires_grad_(), lengths)
        x, memory, _ = kept
        returned = pair(ask(cross_attention, layer, *kept, likely=[
            ("mask_of_words", f"got [{B}, 1, 1, {T}]", f"got [{B}, 1, {T}, {T}]"),
            ("mask_shape", "must be [..., T, S]"),
            ("mixed", "Expected size for first two dimensions")]))
        refuse(returned[1] is None, "no_weights")
        shapes = [tuple(getattr(part, "shape", ())) for part in returned]
        refuse(shapes == [(B, S, 12), (B, 3, S, T)] and S != T, "turned", T=T, S=S)
        refuse(shapes[0] == (B, 3, T, S), "swapped")
        got = answers, weights = two_tensors(returned, [(B, T, 12), (B, 3, T, S)])
        pads = padding_mask(lengths, S)[:, None]

        def answered(x, memory, mask):
            return layer(x, memory, mask), layer.weights(x, memory, mask)

        right = answered(x, memory, pads)
        if close(got, right):
            keeps_gradients(returned[0], right[0], [x, memory, *layer.parameters()])
            continue
        with torch.no_grad():
            blame(got, [
                ("no_mask", answered(x, memory, None)),
                ("mask_turned", answered(x, memory, ~pads)),
                *((key, answered(x, memory, padding_mask(lengths + more, S)[:, None]))
                  for key, more in (("one_pad_seen", 1), ("last_word_hidden", -1))),
                ("mask_once", (answered(x, memory, None)[0], right[1]),
                 (right[0], answered(x, memory, None)[1])),
                ("mask_too_late",
                 (right[0], answered(x, memory, None)[1] * pads[:, None])),
                ("mean_of_memory", (right[1].mean(dim=1) @ memory, right[1]))])
            if S == T:
                blame(got, [
                    ("turned-still", answered(memory, x, None),
                     answered(memory, x, pads)),
                    ("queries_itself", answered(x, x, pads), answered(x, x, None))])
                key, _ = layer.keys_and_values(memory)
                _, value = layer.keys_and_values(x)
                refuse(close(answers, layer.attend_to(x, key, value, pads)),
                       "value_of_words")
                refuse(close(weights, answered(x, memory, pads & causal_mask(T))[1]),
                       "causal")
        to_pads = weights[lengths.argmin(), :, :, lengths.min():]
        refuse(not close(to_pads, torch.zeros_like(to_pads)), "pads_seen")
        refuse(close(weights, right[1]), "wrong_answers")
        wrong_row("wrong_weights", weights, right[1].detach())


@exercise("14-3", points=2)
def check_14_3(tie):
    torch.manual_seed(23)
    config = TransformerConfig(12, 3, 1, 20, dropout=0.0)
    model = make_variant(11, 9, config, tied=False)
    kept = {name: item.detach().clone() for name, item in model.state_dict().items()}
    before = sum(item.numel() for item in model.parameters())
    new = attempt(lambda: tie(model), ("no_linear", "as child module"),
                  ("not_a_parameter", "cannot assign"))
    refuse(isinstance(new, nn.Module) and new is not model, "another_model")
    refuse(not isinstance(model.generator, nn.Linear), "no_linear")
    table, matrix = model.decoder.embedding.table.weight, model.generator.weight
    refuse(table is not matrix and model.encoder.embedding.table.weight is matrix,
           "wrong_table")
    refuse(tuple(matrix.shape) != (9, 12) or tuple(table.shape) != (9, 12),
           "transposed")
    numbers = kept["decoder.embedding.table.weight"], kept["generator.weight"]
    if table is not matrix:
        refuse(table.data_ptr() == matrix.data_ptr(), "two_parameters")
        refuse(torch.equal(table, matrix), "copied")
        raise Mistake("not_tied")
    refuse(torch.equal(table, numbers[1]), "wrong_direction")
    refuse(not torch.equal(table, numbers[0]), "other_numbers")
    bias = getattr(model.generator, "bias", None)
    refuse(bias is None or not torch.equal(bias, kept["generator.bias"]), "bias")
    shared = "generator.weight", "decoder.embedding.table.weight"
    refuse(any(not torch.equal(item, kept[name])
               for name, item in model.state_dict().items() if name not in shared),
           "changes_more")
    refuse(not table.requires_grad or sum(item.numel() for item in model.parameters())
           != before - 9 * 12, "not_learned")


def counted(source_words, target_words, width, layers, hidden, tied, bias=1, last=2,
            encoder_norms=2, decoder_norms=3, attentions=3, generator_bias=1):
    """Parameters of a Transformer, with parts that can be left out."""
    attention = 4 * (width * width + bias * width)
    feed_forward = 2 * width * hidden + bias * (hidden + width)
    norm = 2 * width
    tables = (source_words + target_words + (0 if tied else target_words)) * width
    both = (attentions * attention + 2 * feed_forward
            + (encoder_norms + decoder_norms) * norm)
    return layers * both + last * norm + tables + generator_bias * target_words


@exercise("14-4", points=2)
def check_14_4(parameters):
    for sizes, tied in (((70, 90, 12, 3, 3, 20), True), ((31, 17, 8, 2, 5, 40), False),
                        ((10000, 8000, 512, 8, 6, 2048), True),
                        ((50, 60, 12, 4, 1, 48), False)):
        source_words, target_words, width, heads, layers, hidden = sizes
        got = number(ask(parameters, *sizes, tied))
        plain = source_words, target_words, width, layers, hidden
        right = counted(*plain, tied)    # a test compares it with the machine's own
        if got == right:
            continue
        blame(got, [
            ("tied_ignored", counted(*plain, not tied)),
            ("no_biases", counted(*plain, tied, bias=0, generator_bias=0)),
            ("no_biases-layers", counted(*plain, tied, bias=0)),
            ("no_biases-attention", right - layers * 3 * 4 * width),
            ("no_biases-feed_forward", right - layers * 2 * (hidden + width)),
            ("generator_bias", counted(*plain, tied, generator_bias=0)),
            ("last_norms", counted(*plain, tied, last=0)),
            ("last_norms-both", counted(*plain, tied, last=1)),
            ("decoder_like_encoder",
             counted(*plain, tied, attentions=2, decoder_norms=2)),
            ("no_cross_attention", counted(*plain, tied, attentions=2)),
            ("third_norm", counted(*plain, tied, decoder_norms=2)),
            ("one_norm", counted(*plain, tied, encoder_norms=1, decoder_norms=1)),
            ("no_norms",
             counted(*plain, tied, encoder_norms=0, decoder_norms=0, last=0)),
            ("one_layer", counted(source_words, target_words, width, 1, hidden, tied)),
            ("no_tables", right - (source_words + target_words) * width),
            ("one_table", right - source_words * width)])
        refuse(got == right + layers * 3 * 4 * (heads - 1) * (width * width + width),
               "times_heads")
        raise Mistake("wrong_number", source_words=source_words,
                      target_words=target_words, width=width, layers=layers,
                      hidden=hidden, tied=tied, right=right, got=got)


@exercise("14-5", points=3)
def check_14_5(best_key):
    torch.manual_seed(24)
    T, S, K = 5, 7, 4
    some = torch.rand(2, 3, T, S) < 0.4
    some[1, 2, 3] = False    # this query may look at nothing
    pads, causal = padding_mask(torch.tensor([7, 3]), S), causal_mask(S)[-T:]
    trials = [((2, 3), None), ((2, 3), some), ((2, 3), pads[:, None, None]),
              ((2, 3), causal), ((), causal), ((2,), pads[:, None]), ((2,), None),
              ((2, 1, 3), some[:, None])]
    for leading, allowed in trials:
        kept = [torch.randn(*leading, size, K).requires_grad_() for size in (T, S, S)]
        if allowed is not None and allowed is not some and leading:
            with torch.no_grad():
                kept[0][(0,) * len(leading)] = 0    # all keys are equally good
        scores = scaled_dot(*kept[:2]).detach()
        may = torch.tensor(True) if allowed is None else allowed
        hidden = ~may.broadcast_to(scores.shape)
        returned = ask(best_key, *kept, *([] if allowed is None else [allowed]),
                       likely=[("four_axes", "values to unpack"),
                               *([NO_MASK_GIVEN] if allowed is None else [])])
        right = hard(scores, hidden)
        width = 1 + right.nonzero()[:, -1].max().item()    # up to the highest chosen
        refuse(width < S and is_weights(returned, right[..., :width]), "too_narrow",
               got=width, S=S)
        context, weights = two_tensors(
            returned, [(*leading, T, K), (*leading, T, S)], "contexts")
        refuse(not all(part.is_floating_point() for part in returned), "whole_numbers")
        if close(weights, right) and close(context, right @ kept[2].double()):
            refuse(no_gradient(returned[0], kept[2:]), "detached")
            continue
        raise Mistake(explained(weights, context, scores, hidden, kept))


def hard(scores, hidden):
    """Weights of 1 for the first of the best keys that are not hidden."""
    best = scores.masked_fill(hidden, float("-inf")).argmax(dim=-1)
    return nn.functional.one_hot(best, scores.shape[-1]).double() * ~hidden


def is_weights(returned, right):
    """True if the second of two things is a tensor with these numbers."""
    return (isinstance(returned, (tuple, list)) and len(returned) == 2
            and isinstance(returned[1], torch.Tensor) and close(returned[1], right))


def explained(weights, context, scores, hidden, kept):
    """The code of the likely mistake in weights and contexts."""
    nowhere = hidden.all(dim=-1)
    filled = scores.masked_fill(hidden, float("-inf"))
    if weights.isnan().any() or context.isnan().any():
        return "no_number"
    if close(weights, hard(scores, hidden)):
        if close(context[~nowhere], (weights @ kept[2].double())[~nowhere]):
            return "context_of_nothing"
        return "wrong_context"
    if ((weights != 0) & hidden & ~nowhere[..., None]).any():
        return "sees_hidden"
    if (weights[nowhere] != 0).any():
        return "looks_nowhere"
    if close(weights,
             (filled.masked_fill(nowhere[..., None], 0)).softmax(dim=-1) * ~hidden):
        return "soft"
    if close(weights, hard(-scores, hidden)):
        return "worst_key"
    late = nn.functional.one_hot(scores.argmax(dim=-1),
                                 scores.shape[-1]).double() * ~hidden
    if close(weights, late):
        return "masked_late"
    zeroed = nn.functional.one_hot((scores * ~hidden).argmax(dim=-1),
                                   scores.shape[-1]).double() * ~hidden
    if close(weights, zeroed):
        return "scores_zero"
    best = (filled == filled.max(dim=-1, keepdim=True).values) & ~hidden
    # one of the best, or several
    taken = ((weights == 1) & best).any(dim=-1).equal(best.any(dim=-1))
    if taken or close(weights,
                      best.double() / best.sum(dim=-1, keepdim=True).clamp(min=1)):
        return "all_best"
    query, key = kept[:2]
    over_queries = nn.functional.one_hot(filled.argmax(dim=-2),
                                         scores.shape[-2]).double().transpose(-2, -1)
    if close(weights, over_queries * ~hidden):
        return "over_queries"
    lengths = query.double().norm(dim=-1, keepdim=True) * key.double().norm(
        dim=-1)[..., None, :]
    if close(weights, hard(scores / lengths.clamp(min=1e-9).to(scores.dtype), hidden)):
        return "cosine"
    return "wrong_weights"
