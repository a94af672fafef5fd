"""Checks for the capstone C2, the Transformer from a blank file.

Each builds the reader's class beside the book's, with the same weights, and follows
both through one call: the first tensor that differs is named.
"""

import torch
from torch import nn

from softdict.attention import attention
from softdict.batches import make_batch
from softdict.checks.answers import (
    DETACHED, DIVIDED_BY_WIDTH, FAR, NOT_DIVIDED, ask, blame, close, no_gradient,
    tensor)
from softdict.checks.beside import built, first_wrong, translations
from softdict.checks.result import exercise, refuse
from softdict.heads import MultiHeadAttention
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import DecoderLayer, TransformerConfig, make_transformer

SIZES = TransformerConfig(width=12, heads=3, layers=2, hidden=20, dropout=0.0)


@exercise("C2-1", points=1)
def check_C2_1(answer):
    rng = torch.Generator().manual_seed(1)
    query, key, value = (
        torch.randn(2, 3, size, 4, generator=rng, dtype=torch.float64)
        for size in (5, 7, 7))
    query, key, value = 3 * query, key.requires_grad_(), value.requires_grad_()
    allowed = torch.rand(2, 1, 5, 7, generator=rng) > 0.4
    allowed[0, 0, 1] = False    # nothing to attend to
    for mask in (None, allowed):
        right, _ = attention(query, key, value, mask)
        returned = ask(answer, query, key, value, mask)
        refuse(isinstance(returned, tuple), "two_things",
               "return the context alone, and not the weights too.")
        got = tensor(returned, right.shape, "context")
        if mask is None:
            twice, four_times, half = (attention(query * scale, key, value)[0]
                                       for scale in (2, 4, 0.5))
            blame(got, [(*NOT_DIVIDED, twice),
                        ("multiplies_by_root", "you multiply the scores by the root of "
                         "K; divide by it.", four_times),
                        (*DIVIDED_BY_WIDTH, half)])
        else:
            most = mask.any(dim=-1, keepdim=True)
            blame(torch.where(most, got, 0), [
                ("no_mask", "your context is that of a lookup without a mask; use "
                 "`allowed`.", torch.where(most, attention(query, key, value)[0], 0)),
                ("mask_turned", "your mask is the wrong way round: True means that a "
                 "query may attend to a key.",
                 torch.where(most, attention(query, key, value, ~mask)[0], 0)),
                ("mask_too_late", "yours hides keys after they have taken their share; "
                 "hide them before.",
                 attention(query, key, value)[1] * mask @ value)])
            rows = got[0, :, 1]
            refuse(bool(rows.isnan().any()), "not_a_number", "a query that may attend "
                   "to nothing gets nan: its softmax divides 0 by 0.")
            refuse(not close(rows, torch.zeros_like(rows)), "attends_to_hidden",
                   "a query that may attend to nothing should get a context of zeros.")
        refuse(not close(got, right), "wrong_context",
               "the context is not the one that the five lines of the task give.")
        refuse(no_gradient(returned, [key, value]), *DETACHED)
    for far, code, sentence in FAR:
        query, key, value = (torch.randint(-2, 3, (2, 3, size, 4), generator=rng)
                             .double() for size in (5, 7, 7))
        query[..., 0], key[..., 0] = 2 * far, 1.0
        refuse(not close(answer(query, key, value, allowed),
                         attention(query, key, value, allowed)[0]), code, sentence)
    return "scores, mask, softmax, average: that is attention."


@exercise("C2-2", points=2)
def check_C2_2(make):
    torch.manual_seed(2)
    book = MultiHeadAttention(12, 3).double()
    module = built(make, 12, 3)
    x, source = (torch.randn(2, size, 12, dtype=torch.float64) for size in (5, 7))
    allowed = padding_mask(torch.tensor([7, 4]), 7)[:, None, :]
    first_wrong(module, book, (x, source, allowed), (2, 5, 12))
    first_wrong(module, book, (x, x, causal_mask(5)), (2, 5, 12))
    return "split, attend, merge, mix: every head asks its own question."


@exercise("C2-3", points=2)
def check_C2_3(make):
    torch.manual_seed(3)
    book = DecoderLayer(SIZES).double()
    for part in book.modules():
        if isinstance(part, nn.LayerNorm):
            nn.init.normal_(part.weight)
    module = built(make, 12, 3, 20)
    x, memory = (torch.randn(2, size, 12, dtype=torch.float64) for size in (5, 7))
    masks = causal_mask(5), padding_mask(torch.tensor([7, 4]), 7)[:, None, :]
    first_wrong(module, book, (x, memory, *masks), (2, 5, 12))
    return "three sub-layers, each behind its norm and each added."


@exercise("C2-4", points=3)
def check_C2_4(make):
    torch.manual_seed(4)
    book = make_transformer(11, 9, SIZES).double().eval()
    module = built(make, 11, 9, 12, 3, 2, 20)
    batch = make_batch([([4, 5, 6, 7, 3], [4, 8, 5, 3]), ([9, 10, 3], [7, 3])])
    inputs = batch.source, batch.source_lengths, batch.target_in
    names = [name for name, _ in module.named_parameters()]
    refuse({"generator.weight", "decoder.embedding.table.weight"} <= set(names),
           "not_tied", "the generator's matrix should be the table of the target's "
           "embedding: the same tensor, and not a copy.")
    first_wrong(module, book, inputs, (*batch.target_in.shape, 9))
    return "the whole machine, tensor for tensor."


@exercise("C2-5", points=2)
def check_C2_5(answer):
    torch.manual_seed(290)    # with it one sentence ends in time, and two do not
    model = make_transformer(11, 9, SIZES).eval()
    for part in model.parameters():
        if part.dim() > 1:
            nn.init.normal_(part, std=0.5)
    translations(answer, model)
    return "one word after the other, each the likeliest."
