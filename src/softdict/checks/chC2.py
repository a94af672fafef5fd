"""Checks for the capstone C2, the Transformer from a blank file.

Each builds the reader's class beside the book's, with the same weights, and follows
both through one call: the first tensor that differs is named.
"""

import torch
from torch import nn

from softdict.attention import attention
from softdict.batches import make_batch
from softdict.checks.answers import (
    FAR, NO_MASK_GIVEN, ask, blame, close, learns, no_gradient, tensor)
from softdict.checks.beside import built, changed, first_wrong, translations
from softdict.checks.result import exercise, refuse
from softdict.heads import MultiHeadAttention, merge_heads, split_heads
from softdict.layers import sinusoids
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import DecoderLayer, TransformerConfig, make_transformer

CONFIG = TransformerConfig(width=12, heads=3, layers=2, hidden=20, dropout=0.0)


def looked(query, key, value, allowed=None, scale=None, axis=-1, hide="before"):
    """The context of a common mistake in attention."""
    scores = query @ key.mT * (key.shape[-1] ** -0.5 if scale is None else scale)
    if allowed is not None and hide == "before":
        scores = scores.masked_fill(~allowed, -torch.inf)
    if allowed is not None and hide == "zero score":
        scores = scores * allowed
    weights = scores.softmax(dim=axis).nan_to_num(0.0)
    if allowed is not None and hide == "after":
        weights = weights * allowed
    return weights @ value


WRONG_LOOKS = [
    ("not_divided", lambda *given: looked(*given, scale=1.0)),
    ("divided_by_width",
     lambda query, *given: looked(query, *given, scale=1 / query.shape[-1])),
    ("root_of_whole", lambda query, *given: looked(
        query, *given, scale=(query.shape[1] * query.shape[-1]) ** -0.5)),
    ("multiplies_by_root",
     lambda query, *given: looked(query, *given, scale=query.shape[-1] ** 0.5)),
    ("root_of_length", lambda query, key, *given: looked(
        query, key, *given, scale=key.shape[-2] ** -0.5),
     lambda query, *given: looked(query, *given, scale=query.shape[-2] ** -0.5)),
    ("over_queries", lambda *given: looked(*given, axis=-2)),
    ("over_heads", lambda *given: looked(*given, axis=1)),
    ("over_batch", lambda *given: looked(*given, axis=0)),
    ("no_mask", lambda query, key, value, _: looked(query, key, value)),
    ("mask_turned",
     lambda *given: looked(*given[:3], None if given[3] is None else ~given[3])),
    ("mask_too_late", lambda *given: looked(*given, hide="after")),
    ("zero_score", lambda *given: looked(*given, hide="zero score"))]


@exercise("C2-1", points=1)
def check_C2_1(answer):
    rng = torch.Generator().manual_seed(1)
    query, key, value = (
        torch.randn(2, 3, size, 4, generator=rng, dtype=torch.float64)
        for size in (5, 7, 7))
    query, key, value = (part.requires_grad_() for part in (3 * query, key, value))
    allowed = torch.rand(2, 1, 5, 7, generator=rng) > 0.4
    allowed[0, 0, 1] = False    # nothing to attend to
    for mask in (None, allowed):
        right, _ = attention(query, key, value, mask)
        returned = ask(answer, query, key, value, mask)
        refuse(isinstance(returned, tuple), "two_things")
        got = tensor(returned, right.shape, "context")
        if mask is None:
            some, likely = torch.tensor(True), WRONG_LOOKS[:-4]    # four are of masks
        else:
            some, likely = mask.any(dim=-1, keepdim=True), WRONG_LOOKS
        if not close(torch.where(some, got, 0), torch.where(some, right, 0)):
            blame(torch.where(some, got, 0), [
                (code, *(torch.where(some, look(query, key, value, mask), 0)
                         for look in looks))
                for code, *looks in likely])
        if mask is not None:
            rows = got[0, :, 1]
            refuse(bool(rows.isnan().any()), "not_a_number")
            refuse(close(rows, value[0].mean(dim=-2)) or close(
                rows, looked(query, key, value)[0, :, 1]), "attends_to_hidden-low")
            refuse(not close(rows, torch.zeros_like(rows)), "attends_to_hidden")
        refuse(not close(got, right), "wrong_context")
        refuse(no_gradient(returned, [key, value]), "detached")
        slopes = torch.autograd.grad(returned.square().sum(), [key, value])
        lost = [not slope.isfinite().all() for slope in slopes]
        refuse(lost == [True, False], "nan_gradients-scores")
        refuse(any(lost), "nan_gradients")
        learns(lambda *parts, mask=mask: answer(*parts, mask), [query, key, value])
    for far, code in FAR:
        query, key, value = (torch.randint(-2, 3, (2, 3, size, 4), generator=rng)
                             .double() for size in (5, 7, 7))
        query[..., 0], key[..., 0] = 2 * far, 1.0
        refuse(not close(answer(query, key, value, allowed),
                         attention(query, key, value, allowed)[0]), code)


def cut_anew(parts):
    """[B, H, T, K] as [B, T, D] with the numbers in the order in which they lie."""
    return parts.reshape(len(parts), parts.shape[2], -1)


def wrong_heads(book):
    """Codes, and layers with heads that make the mistake."""
    def lying(x, heads):
        return x.reshape(len(x), heads, x.shape[1], -1)

    def in_turn(x, heads):
        return x.unflatten(-1, (-1, heads)).movedim(-1, 1)

    def made(split=split_heads, merge=merge_heads, attend=looked,
             read=lambda x, source: (x, source, source)):
        def forward(self, x, source, allowed=None):
            query, key, value = (split(part(given), self.heads) for part, given in zip(
                (self.query, self.key, self.value), read(x, source)))
            allowed = allowed if allowed is None else allowed.unsqueeze(-3)
            return self.out(merge(attend(query, key, value, allowed)))

        return changed(book, forward=forward)

    def added(self, x, source, allowed=None):
        return x + type(book).forward(self, x, source, allowed)

    return [
        ("adds_x", changed(book, forward=added)),
        ("cut_by_view", made(lying), made(lying, cut_anew)),
        ("joined_by_view", made(merge=cut_anew)),
        ("in_turn", made(in_turn),
         made(in_turn, lambda parts: parts.movedim(1, -1).flatten(-2))),
        ("values_of_x", made(read=lambda x, source: (x, source, x))),
        ("keys_of_x", made(read=lambda x, source: (x, x, source)),
         made(read=lambda x, source: (x, x, x))),
        ("queries_of_source", made(read=lambda x, source: (source, source, source)),
         made(read=lambda x, source: (source, x, x))),
        *((code, *(made(attend=look) for look in looks))
          for code, *looks in WRONG_LOOKS)]


@exercise("C2-2", points=2)
def check_C2_2(make):
    torch.manual_seed(2)
    book = MultiHeadAttention(12, 3).double()
    module = built(make, 12, 3)
    x, source = (torch.randn(2, size, 12, dtype=torch.float64) for size in (5, 7))
    allowed = padding_mask(torch.tensor([7, 4]), 7)[:, None, :]
    def likely():
        return wrong_heads(book)

    first_wrong(module, book, (x, source, allowed), (2, 5, 12), likely=likely,
                errors=[("mask_meets_heads", "at non-singleton dimension 1")])
    first_wrong(module, book, (x, x, causal_mask(5)), (2, 5, 12), likely=likely,
                errors=[("sentences_for_heads", *(
                    f"The size of tensor a ({one}) must match the size of tensor b "
                    f"({other}) at non-singleton dimension 1"
                    for one, other in ((3, 5), (5, 3))))])
    # as many words on both sides, and not the same; no mask, then one for each query
    first_wrong(module, book, (x, source[:, :5], None), (2, 5, 12), likely=likely,
                errors=[NO_MASK_GIVEN])
    first_wrong(module, book, (x, source, causal_mask(7)[:5] & allowed), (2, 5, 12),
                likely=likely)


def wrong_layers(book):
    """Codes, and decoder layers that make the mistake."""
    def made(change=lambda norm, x: (norm(x), x), source=lambda norm, x: norm(x),
             memories=lambda norm, memory: memory, masks=lambda *masks: masks,
             kept=(1, 1, 1)):
        def forward(self, x, memory, allowed, memory_allowed):
            allowed, memory_allowed = masks(allowed, memory_allowed)
            read, x = change(self.norm1, x)
            x = kept[0] * x + self.self_attention(read, source(self.norm1, x), allowed)
            read, x = change(self.norm2, x)
            x = kept[1] * x + self.cross_attention(
                read, memories(self.norm2, memory), memory_allowed)
            read, x = change(self.norm3, x)
            return kept[2] * x + self.feed_forward(read)

        return changed(book, forward=forward)

    def after(self, x, memory, allowed, memory_allowed):
        x = self.norm1(x + self.self_attention(x, x, allowed))
        x = self.norm2(x + self.cross_attention(x, memory, memory_allowed))
        return self.norm3(x + self.feed_forward(x))

    def side_by_side(self, x, memory, allowed, memory_allowed):
        read = self.norm1(x)
        x = x + self.self_attention(read, read, allowed) + self.cross_attention(
            self.norm2(x), memory, memory_allowed)
        return x + self.feed_forward(self.norm3(x))

    gelu = changed(book)
    gelu.feed_forward = changed(book.feed_forward, forward=lambda self, x: self.down(
        nn.functional.gelu(self.up(x))))
    straight = changed(book)
    straight.feed_forward = changed(
        book.feed_forward, forward=lambda self, x: self.down(self.up(x)))
    return [
        ("gelu", gelu), ("no_relu", straight),
        ("side_by_side", changed(book, forward=side_by_side)),
        ("not_added", *(made(kept=kept) for kept in ((0, 1, 1), (1, 0, 1), (1, 1, 0)))),
        ("post_norm", changed(book, forward=after)),
        ("raw_source", made(source=lambda norm, x: x)),
        ("memory_normalised", made(memories=lambda norm, memory: norm(memory))),
        ("norm_on_path",
         made(lambda norm, x: (norm(x), norm(x)), source=lambda norm, x: x)),
        ("no_source_mask", made(masks=lambda allowed, _: (allowed, None))),
        ("no_causal_mask", made(masks=lambda _, allowed: (None, allowed)))]


@exercise("C2-3", points=2)
def check_C2_3(make):
    torch.manual_seed(3)
    book = DecoderLayer(CONFIG).double()
    for part in book.modules():
        if isinstance(part, nn.LayerNorm):
            nn.init.normal_(part.weight)
    module = built(make, 12, 3, 20)
    x, memory = (torch.randn(2, size, 12, dtype=torch.float64) for size in (5, 7))
    masks = causal_mask(5), padding_mask(torch.tensor([7, 4]), 7)[:, None, :]
    first_wrong(module, book, (x, memory, *masks), (2, 5, 12),
                likely=lambda: wrong_layers(book))


def wrong_machines(book):
    """Codes, and machines that make the mistake."""
    def embedded(added):
        """A machine whose embeddings add up a table's rows and codes in this way."""
        def forward(self, ids, positions):
            return added(self.table(ids), positions)

        other = changed(book)
        for stack in (other.encoder, other.decoder):
            stack.embedding = changed(stack.embedding, forward=forward)
        return other

    def codes(positions):
        return sinusoids(positions, CONFIG.width).double()

    def hidden(stack, masks):
        """A machine whose layers get other masks in one of its stacks."""
        other = changed(book)
        for n, layer in enumerate(getattr(other, stack).layers):
            getattr(other, stack).layers[n] = changed(
                layer, forward=lambda self, x, *given: super(
                    type(self), self).forward(x, *masks(*given)))
        return other

    def first_layer(self, source, allowed):
        x = self.embedding(source, torch.arange(source.shape[1]))
        x = self.layers[0](x, allowed)
        self.layers[1](x, allowed)    # it is there, and nobody reads it
        return self.norm(x)

    early = changed(book)
    early.encoder = changed(book.encoder, forward=first_layer)
    root = CONFIG.width ** 0.5
    return [
        ("layer_by_layer", early),
        ("no_root", embedded(lambda rows, at: rows + codes(at))),
        ("root_of_sum", embedded(lambda rows, at: (rows + codes(at)) * root)),
        ("divided_by_root", embedded(lambda rows, at: rows / root + codes(at))),
        ("no_positions", embedded(lambda rows, at: rows * root)),
        ("from_one", embedded(lambda rows, at: rows * root + codes(at + 1))),
        ("encoder_sees_pads", hidden("encoder", lambda allowed: (None,))),
        ("cross_sees_pads",
         hidden("decoder", lambda memory, own, source: (memory, own, None))),
        ("no_causal_mask",
         hidden("decoder", lambda memory, own, source: (memory, None, source)))]


@exercise("C2-4", points=3)
def check_C2_4(make):
    torch.manual_seed(4)
    book = make_transformer(11, 9, CONFIG).double().eval()
    module = built(make, 11, 9, 12, 3, 2, 20)
    batch = make_batch([([4, 5, 6, 7, 3], [4, 8, 5, 3]), ([9, 10, 3], [7, 3])])
    inputs = batch.source, batch.source_lengths, batch.target_in
    names = [name for name, _ in module.named_parameters()]
    refuse({"generator.weight", "decoder.embedding.table.weight"} <= set(names),
           "not_tied")
    first_wrong(module, book, inputs, (*batch.target_in.shape, 9),
                likely=lambda: wrong_machines(book))


@exercise("C2-5", points=2)
def check_C2_5(answer):
    torch.manual_seed(290)    # with it one sentence ends in time, and two do not
    model = make_transformer(11, 9, CONFIG).eval()
    for part in model.parameters():
        if part.dim() > 1:
            nn.init.normal_(part, std=0.5)
    model.generator.bias.data -= 30    # all scores are below 0
    translations(answer, model)
