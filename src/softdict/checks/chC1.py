"""Checks for the capstone C1, attention in translation from a blank file."""

import torch
from torch import nn

from softdict.batches import make_batch
from softdict.checks.answers import (
    FAR, ask, blame, close, learns, two_tensors, wrong_row)
from softdict.checks.beside import built, changed, first_wrong, translations
from softdict.checks.result import exercise, refuse
from softdict.seq2seq import Attend, Encoder, LuongDecoder, Seq2Seq

EMBEDDING, WIDTH = 7, 12


def attended(query, states, allowed, **mistake):
    """Context and weights, or those of a common mistake."""
    scores = (states @ query[:, :, None]).squeeze(-1)    # [B, S]
    if mistake.get("scaled"):
        scores = scores / query.shape[1] ** 0.5
    hidden = {"turned": allowed, "read": allowed & False}.get(mistake.get("mask"),
                                                              ~allowed)
    filled = scores.masked_fill(hidden, mistake.get("fill", -torch.inf))
    weights = filled.softmax(mistake.get("axis", -1)).nan_to_num(0.0)
    if mistake.get("after"):
        weights = scores.softmax(dim=-1) * allowed
    return (weights[:, None] @ states)[:, 0], weights


MISTAKES = [
    ("reads_pads", {"mask": "read"}),
    ("mask_turned", {"mask": "turned"}),
    ("zero_after", {"after": True}),
    ("zero_score", {"fill": 0.0}),
    ("scaled", {"scaled": True}),
    ("over_the_batch", {"axis": 0})]


@exercise("C1-1", points=1)
def check_C1_1(answer):
    torch.manual_seed(1)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    query, states = query.requires_grad_(), states.requires_grad_()
    allowed = torch.tensor([[1, 1, 1, 1, 0], [0, 1, 1, 1, 1], [1, 1, 0, 0, 0]]).bool()
    context, weights = two_tensors(ask(answer, query, states, allowed),
                                   [(3, 4), (3, 5)], "context")
    right = attended(query, states, allowed)
    blame(weights, [(code, attended(query, states, allowed, **mistake)[1])
                    for code, mistake in MISTAKES])
    if not close(weights, right[1]):
        wrong_row("wrong_weights", weights, right[1])
    refuse(close(context, right[0] / 5), "mean_of_states")
    refuse(not close(context, right[0]), "wrong_context")
    learns(lambda *parts: answer(*parts, allowed)[0], [query, states])
    far_scores(answer, allowed)


def far_scores(answer, allowed):
    """Raises a Mistake for weights that are wrong where all scores are far from 0."""
    for far, code in FAR:
        # whole numbers, so that no rounding tells ways of computing apart
        query, states = (torch.randint(-2, 3, size).double()
                         for size in ((3, 4), (3, 5, 4)))
        query[:, 0], states[..., 0] = far, 1.0
        _, weights = answer(query, states, allowed)
        refuse(not close(weights, attended(query, states, allowed)[1]), code)


class Step(LuongDecoder):
    """One step of the book's decoder, called as the task has it."""

    def forward(self, ids, state, states, allowed):
        output, (state, _) = super().forward(ids, (state, None),
                                             (states, states, allowed))
        return output, state


def wrong_step(order=("context", "query"), squeeze=torch.tanh, asks="new",
               inside=lambda joined: joined, hands=lambda output, after, state: after,
               **mistake):
    """A method that takes a step of the decoder with a mistake in it."""
    def forward(self, ids, state, states, allowed):
        outputs, after = self.rnn(self.embedding(ids)[:, None], state)
        query = {"new": outputs[:, 0], "old": state[0]}[asks]
        context, _ = attended(query, states, allowed, **mistake)
        parts = {"context": context, "query": outputs[:, 0], "old": state[0]}
        joined = torch.cat([parts[part] for part in order], dim=-1)
        output = squeeze(self.join(inside(joined)))
        return output, hands(output, after, state)

    return forward


def wrong_steps(made):
    """Codes, and what is made with a step that makes the mistake."""
    return [
        ("query_first", made(order=("query", "context"))),
        ("old_query", made(asks="old"), made(asks="old", order=("context", "old"))),
        ("joins_old_state", made(order=("context", "old"))),
        ("tanh_first", made(inside=torch.tanh)),
        ("output_as_state", made(hands=lambda output, *states: output[None])),
        ("no_tanh", made(squeeze=lambda joined: joined)),
        *((code, made(**mistake)) for code, mistake in MISTAKES)]


@exercise("C1-2", points=2)
def check_C1_2(make):
    torch.manual_seed(2)
    book = Step(9, EMBEDDING, WIDTH, feed=False).double()
    module = built(make, 9, EMBEDDING, WIDTH)
    state, states = (torch.randn(*size, WIDTH, dtype=torch.float64)
                     for size in ((1, 2), (2, 5)))
    allowed = torch.arange(5) < torch.tensor([5, 3])[:, None]
    inputs = torch.tensor([4, 7]), state, states, allowed
    first_wrong(module, book, inputs, (2, WIDTH), (1, 2, WIDTH),
                likely=lambda: [*wrong_steps(lambda **mistake: changed(
                    book, forward=wrong_step(**mistake))), ("hands_old_state", changed(
                        book, forward=wrong_step(hands=lambda *states: states[2])))])


def wrong_translators(book):
    """Codes, and translators that make the mistake."""
    def made(**mistake):
        step = wrong_step(**mistake)

        def forward(self, ids, state, source):
            states, _, allowed = source
            output, after = step(self, ids, state[0], states, allowed)
            return output, (after, output[None])

        other = changed(book)
        other.decoder = changed(book.decoder, forward=forward)
        return other

    def from_the_start(self, source, source_lengths, target_in):
        state, context = self.start(source, source_lengths)
        return torch.stack([self.decoder(ids, state, context)[0]
                            for ids in target_in.unbind(dim=1)], dim=1)

    def from_zeros(self, source, source_lengths):
        state, context = type(book).start(self, source, source_lengths)
        return tuple(0 * part for part in state), context

    def alone(self, source, source_lengths, target_in):
        state, context = self.start(source, source_lengths)
        ids, outputs = target_in[:, 0], []
        for _ in range(target_in.shape[1]):
            output, state = self.decoder(ids, state, context)
            ids = self.generator(output).argmax(dim=-1)
            outputs.append(output)
        return torch.stack(outputs, dim=1)

    def steps_first(self, *given):
        return type(book).states(self, *given).transpose(0, 1)

    def cut(steps):
        return changed(book, forward=lambda self, *given: type(book).forward(
            self, *given[:2], given[2][:, steps]))

    def shares(kind):
        return changed(book, forward=lambda self, *given: kind(
            type(book).forward(self, *given), dim=-1))

    return [*wrong_steps(made),
            ("softmax_at_end", shares(torch.log_softmax), shares(torch.softmax)),
            ("skips_bos", cut(slice(1, None))), ("skips_last", cut(slice(-1))),
            ("steps_first", changed(book, states=steps_first)),
            ("reads_its_own", changed(book, states=alone)),
            ("starts_from_zeros", changed(book, start=from_zeros)),
            ("state_not_passed", changed(book, states=from_the_start))]


UNPACKED = ("unpacked", "Encoded object", "'Encoded' object")


@exercise("C1-3", points=2)
def check_C1_3(make):
    torch.manual_seed(3)
    book = small_book().double()
    module = built(make, 11, 9, EMBEDDING, WIDTH)
    batch = make_batch([([4, 5, 6, 7, 3], [4, 8, 5, 3]), ([9, 10, 3], [7, 3])])
    inputs = batch.source, batch.source_lengths, batch.target_in
    first_wrong(module, book, inputs, (*batch.target_in.shape, 9),
                likely=lambda: wrong_translators(book), errors=[UNPACKED])


def small_book():
    """The book's translator with attention, of 11 and 9 words."""
    decoder = LuongDecoder(9, EMBEDDING, WIDTH, context=Attend(), feed=False)
    return Seq2Seq(Encoder(11, EMBEDDING, WIDTH), decoder)


@exercise("C1-4", points=2)
def check_C1_4(answer):
    # with it one sentence ends in time, and two do not; PAD and BOS would be chosen
    torch.manual_seed(106)
    model = small_book().eval()
    for part in model.parameters():
        nn.init.normal_(part, std=0.7)
    translations(answer, model)
