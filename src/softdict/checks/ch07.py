"""Checks for the exercises of chapter 07, attention in translation."""

import torch

from softdict.checks.answers import (
    ask, blame, close, fill, learns, no_gradient, right_sums, tensor, two_tensors,
    wrong_row)
from softdict.checks.result import exercise, refuse
from softdict.checks.sentences import Word


def looked(query, states, lengths, hide="before", scale=1.0, axis=-1):
    """Contexts and weights of the dot product, or of a common mistake."""
    real = torch.arange(states.shape[1]) < lengths[:, None]
    energies = scale * (states @ query[:, :, None]).squeeze(-1)
    if hide == "before":
        energies = energies.masked_fill(~real, float("-inf"))
    if hide == "turned":
        energies = energies.masked_fill(real, float("-inf"))
    if hide == "zero energy":
        energies = energies * real
    weights = energies.softmax(dim=axis).nan_to_num(0.0)
    if hide == "after":
        weights = weights * real
    return (weights[:, None] @ states)[:, 0].double(), weights.double()


@exercise("07-1", points=3)
def check_07_1(attention_in_loops):
    torch.manual_seed(6)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    lengths = torch.tensor([5, 2, 3])
    likely = [("overflow", "type float without overflow", "math range error")]

    def run(query, states):
        return two_tensors(ask(attention_in_loops, query, states, lengths,
                               likely=likely), [(3, 4), (3, 5)], "contexts")

    contexts, weights = run(query, states)
    right, real = looked(query, states, lengths), torch.arange(5) < lengths[:, None]
    if close((contexts, weights), right):
        refuse(weights[~real].any(), "not_exactly_zero")
        strange = states.clone()
        strange[1, 2:], strange[2, 3:] = 1e30 * query[1], 1e30 * query[2]
        refuse(not close(run(query, strange), right), "large_pads")
        two = attention_in_loops(query[1:], states[1:], lengths[1:])
        refuse([getattr(part, "shape", None) for part in two] == [(2, 4), (2, 3)],
               "longest_only")
        two_tensors(two, [(2, 4), (2, 5)], "contexts")    # none is as long as S
        refuse(not close(run(60 * query, states), looked(60 * query, states, lengths)),
               "overflow")
        return
    sums = (states * real[..., None]).sum(dim=1).double()
    energies = (states @ query[:, :, None])[:, :, 0]
    found = energies * real
    blame(weights, [
        ("reads_pads", looked(query, states, lengths, hide="no")[1]),
        ("one_word_more", looked(query, states, lengths + 1)[1]),
        ("one_word_short", looked(query, states, lengths - 1)[1]),
        ("zero_after", looked(query, states, lengths, hide="after")[1]),
        ("zero_energy", looked(query, states, lengths, hide="zero energy")[1]),
        ("scaled", looked(query, states, lengths, scale=0.5)[1]),
        ("over_the_batch", looked(query, states, lengths, axis=0)[1]),
        ("no_softmax", found),
        ("shares", found / found.sum(dim=1, keepdim=True)),
        ("one_query", looked(query[:1].expand(3, 4), states, lengths)[1]),
        ("hard", torch.nn.functional.one_hot(
            energies.masked_fill(~real, -1e9).argmax(dim=1), 5))])
    if close(weights, right[1]):
        refuse(close(contexts, sums), "plain_sum")
        refuse(close(contexts, right[0] * 3)
               or close(contexts, right[0] / lengths[:, None]), "divides_again")
        right_sums("wrong_contexts", contexts, right[0])
    wrong_row("wrong_weights", weights, right[1])


@exercise("07-2", points=2)
def check_07_2(mean_context):
    torch.manual_seed(7)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    allowed = torch.arange(5) < torch.tensor([[5], [2], [3]])
    learned = states.clone().requires_grad_()
    returned = ask(mean_context, query, learned, allowed)
    contexts, weights = two_tensors(returned, [(3, 4), (3, 5)], "contexts")
    right = allowed / allowed.sum(dim=1, keepdim=True)
    blame(weights, [
        ("counts_pads", torch.full((3, 5), 0.2)),
        ("not_normalised", allowed.float()),
        ("divides_by_all", allowed / 5),
        ("inverted", ~allowed / (~allowed).sum(dim=1, keepdim=True).clamp(min=1)),
        ("over_the_batch", allowed / allowed.sum(dim=0, keepdim=True)),
        ("one_for_all", allowed / allowed.sum()),
        ("asks", looked(query, states, allowed.sum(dim=1))[1]),
        ("softmax_of_mask", allowed.double().softmax(dim=-1))])
    if not close(weights, right):
        wrong_row("wrong_weights", weights, right)
    refuse(close(contexts, states.mean(dim=1)), "mean_with_pads")
    right_sums("wrong_contexts", contexts, (right[:, None] @ states)[:, 0])
    refuse(no_gradient(returned[0], [learned]), "detached")


def divided_after(scores, mask):
    """The softmax of all scores, hidden ones made 0, and divided by what is left."""
    left = scores.softmax(dim=-1) * mask
    return left / left.sum(dim=-1, keepdim=True)


@exercise("07-3", points=2)
def check_07_3(hidden_weights):
    torch.manual_seed(8)
    cases = ((3, 4, 5, 3, "four_queries"), (3, 3, 5, 3, "three_queries"),
             (2, 4, 6, 3, "two_sentences"), (3, 4, 5, 300, "large_scores"))
    for B, T, S, size, name in cases:
        scores = torch.randn(B, T, S) * size
        allowed = torch.arange(S) < torch.tensor([[5], [1], [3]])[:B]
        returned = ask(hidden_weights, scores, allowed, likely=[
            ("same_bug", "must match the size", "broadcast"),
            ("fixed_sizes", "is invalid for input of size"),
            ("mask_as_index", "the shape of the indexed tensor")])
        got = tensor(returned, scores.shape, "weights")
        mask = allowed[:, None]
        hidden = scores.masked_fill(~mask, -torch.inf)
        right = hidden.softmax(dim=-1)
        if close(got, right):
            refuse(got[1, :, 1:].any(), "not_exactly_zero")
            continue
        blame(got.nan_to_num(0.0), [
            ("inverted",
             scores.masked_fill(mask, -torch.inf).softmax(dim=-1).nan_to_num(0.0)),
            ("zero_after", scores.softmax(dim=-1) * mask),
            ("divided_after", divided_after(scores, mask).nan_to_num(0.0)),
            ("zero_energy", (scores * mask).softmax(dim=-1)),
            ("not_hidden", scores.softmax(dim=-1)),
            ("over_the_queries", hidden.softmax(dim=1).nan_to_num(0.0)),
            ("over_the_batch", hidden.softmax(dim=0).nan_to_num(0.0)),
            ("masks_mixed", scores.masked_fill(~allowed.repeat(T, 1).view(B, T, S),
                                               -torch.inf).softmax(dim=-1))])
        refuse(size > 3, "overflow")
        refuse(got.isnan().all(), "all_nan")
        refuse(got.isnan().any(), "nan")
        fill(got, scores.double(), mask)
        if (got.gt(1e-9) != mask).any():    # a pad has weight, or a word has none
            wrong_row("wrong_weights-mask", got, right, name=Word(name))
        wrong_row("wrong_weights", got, right, name=Word(name))


@exercise("07-4", points=3)
def check_07_4(attention_step):
    torch.manual_seed(9)
    rnn = torch.nn.GRU(3, 4, 2, batch_first=True)
    join = torch.nn.Linear(8, 4, bias=False)
    word, state, states = learned = [torch.randn(*shape, requires_grad=True)
                                     for shape in ((3, 3), (2, 3, 4), (3, 5, 4))]
    lengths = torch.tensor([5, 2, 3])
    allowed = torch.arange(5) < lengths[:, None]
    returned = ask(attention_step, word, state, states, allowed, rnn, join)
    refuse(not isinstance(returned, (tuple, list)) or len(returned) != 3,
           "not_three_things")
    output, new, weights = (tensor(*each) for each in zip(
        returned, [(3, 4), (2, 3, 4), (3, 5)], ["output", "new_state", "weights"]))
    with torch.no_grad():
        outputs, after = rnn(word[:, None], state)
        query = outputs[:, 0]
        context, right = looked(query, states, lengths)
        joined = torch.cat([context.float(), query], dim=-1)

        def found(query=query, **options):
            return looked(query, states, lengths, **options)[1]

        blame(new, [("old_state", state), ("forgets", rnn(word[:, None])[1])])
        refuse(not close(new, after), "wrong_state")
        blame(weights, [
            ("old_query", found(state[-1])),
            ("bottom_layer", found(after[0])),
            ("reads_pads", found(hide="no")),
            ("zero_after", found(hide="after")),
            ("zero_energy", found(hide="zero energy")),
            ("inverted", found(hide="turned")),
            ("scaled", found(scale=0.5)),
            ("over_the_batch", found(axis=0))])
        if not close(weights, right):
            wrong_row("wrong_weights", weights, right)
        blame(output, [
            ("no_tanh", join(joined)),
            ("query_first", join(joined.roll(4, dims=-1)).tanh()),
            ("joins_old_state",
             join(torch.cat([context.float(), state[-1]], dim=-1)).tanh()),
            ("not_joined", context, context.tanh())])
        if not close(output, join(joined).tanh()):
            wrong_row("wrong_output", output, join(joined).tanh().double())

    def stepped(*parts):
        kind = parts[0].dtype
        made = attention_step(*parts, allowed, rnn.to(kind), join.to(kind))
        return torch.cat([part.flatten() for part in made[:2]])

    learns(stepped, learned)
