"""Checks for the exercises of chapter 07, attention in translation."""

import torch

from softdict.checks.answers import (
    DETACHED, ask, blame, close, fill, learns, no_gradient, right_sums, tensor,
    two_tensors, wrong_row)
from softdict.checks.result import exercise, refuse


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
    overflow = ("overflow", "with large energies exp overflows; the `softmax` that you "
                "imported is safe.")
    likely = [(*overflow, "type float without overflow", "math range error")]

    def run(query, states):
        return two_tensors(ask(attention_in_loops, query, states, lengths,
                               likely=likely), [(3, 4), (3, 5)], "contexts")

    contexts, weights = run(query, states)
    right, real = looked(query, states, lengths), torch.arange(5) < lengths[:, None]
    if close((contexts, weights), right):
        refuse(weights[~real].any(), "not_exactly_zero", "pads have a tiny weight in "
               "yours; minus infinity, or leaving them out, gives exactly 0.")
        strange = states.clone()
        strange[1, 2:], strange[2, 3:] = 1e30 * query[1], 1e30 * query[2]
        refuse(not close(run(query, strange), right), "large_pads", "pads may hold "
               "anything, and with very large numbers in them yours fails: take the "
               "real states only, or give pads the energy minus infinity.")
        two = attention_in_loops(query[1:], states[1:], lengths[1:])
        refuse([getattr(part, "shape", None) for part in two] == [(2, 4), (2, 3)],
               "longest_only", "the weights should have S columns; yours end where the "
               "longest sentence ends.")
        two_tensors(two, [(2, 4), (2, 5)], "contexts")    # none is as long as S
        refuse(not close(run(60 * query, states), looked(60 * query, states, lengths)),
               *overflow)
        return "each query is answered from its own words, and pads weigh nothing."
    sums = (states * real[..., None]).sum(dim=1).double()
    energies = (states @ query[:, :, None])[:, :, 0]
    found = energies * real
    blame(weights, [
        ("reads_pads", "pads have weights in yours; take the real states only.",
         looked(query, states, lengths, hide="no")[1]),
        ("zero_after", "you set weights of pads to 0 after the softmax, so the others "
         "do not add up to 1.", looked(query, states, lengths, hide="after")[1]),
        ("zero_energy", "an energy of 0 still gets a share, since exp(0) is 1; take "
         "the pads out before the softmax.",
         looked(query, states, lengths, hide="zero energy")[1]),
        ("scaled", "yours divides the energies by 2, the root of the width; this "
         "chapter does not.", looked(query, states, lengths, scale=0.5)[1]),
        ("over_the_batch", "your softmax runs over the sentences; it should run over "
         "the words of one.", looked(query, states, lengths, axis=0)[1]),
        ("no_softmax", "your weights are energies; softmax comes between.", found),
        ("shares", "your weights are shares of the energies themselves; softmax takes "
         "the shares of their exponentials.", found / found.sum(dim=1, keepdim=True)),
        ("one_query", "every sentence is asked with the query of the first; each has "
         "its own.", looked(query[:1].expand(3, 4), states, lengths)[1]),
        ("hard", "yours takes the best state alone; all real states count, each with "
         "its weight.",
         torch.nn.functional.one_hot(energies.masked_fill(~real, -1e9).argmax(dim=1),
                                     5))])
    if close(weights, right[1]):
        refuse(close(contexts, sums), "plain_sum",
               "the weights are right; your contexts are plain sums, without them.")
        refuse(close(contexts, right[0] * 3)
               or close(contexts, right[0] / lengths[:, None]), "divides_again",
               "the weights add up to 1 already; do not divide once more.")
        right_sums("wrong_contexts", "contexts", contexts, right[0])
    wrong_row("wrong_weights", "weights", weights, right[1])


@exercise("07-2", points=2)
def check_07_2(mean_context):
    torch.manual_seed(7)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    allowed = torch.arange(5) < torch.tensor([[5], [2], [3]])
    learned = states.clone().requires_grad_()
    returned = ask(mean_context, query, learned, allowed, advice="make new tensors")
    contexts, weights = two_tensors(returned, [(3, 4), (3, 5)], "contexts")
    right = allowed / allowed.sum(dim=1, keepdim=True)
    blame(weights, [
        ("counts_pads", "pads count in yours; give weight to the real words only.",
         torch.full((3, 5), 0.2)),
        ("not_normalised", "your weights are 1 for each word, so together they are "
         "more than 1; divide by the number of words.", allowed.float()),
        ("divides_by_all", "yours divides by the number of columns; divide by the "
         "number of real words of each sentence.", allowed / 5),
        ("inverted", "yours looks at the pads; True means: may look.",
         ~allowed / (~allowed).sum(dim=1, keepdim=True).clamp(min=1)),
        ("over_the_batch", "your weights add up to 1 over the sentences; they should "
         "over the words of one.", allowed / allowed.sum(dim=0, keepdim=True)),
        ("one_for_all", "yours divides by the words of the whole batch; divide by the "
         "words of each sentence.", allowed / allowed.sum()),
        ("asks", "yours asks; here the query does not count.",
         looked(query, states, allowed.sum(dim=1))[1]),
        ("softmax_of_mask", "your weights are the softmax of the mask, where False "
         "still counts exp(0) = 1; divide by the number of real words.",
         allowed.double().softmax(dim=-1))])
    if not close(weights, right):
        wrong_row("wrong_weights", "weights", weights, right)
    refuse(close(contexts, states.mean(dim=1)), "mean_with_pads", "the weights are "
           "right; your contexts are the mean of all states, with those of pads.")
    right_sums("wrong_contexts", "contexts", contexts, (right[:, None] @ states)[:, 0])
    refuse(no_gradient(returned[0], [learned]), *DETACHED)
    return "every real word counts alike, whatever is asked."


@exercise("07-3", points=2)
def check_07_3(hidden_weights):
    torch.manual_seed(8)
    cases = ((3, 4, 5, 3, "four queries"), (3, 3, 5, 3, "three queries"),
             (2, 4, 6, 3, "two sentences"), (3, 4, 5, 300, "large scores"))
    for B, T, S, size, name in cases:
        scores = torch.randn(B, T, S) * size
        allowed = torch.arange(S) < torch.tensor([[5], [1], [3]])[:B]
        got = tensor(ask(
            hidden_weights, scores, allowed,
            advice="`masked_fill` makes a new tensor, `masked_fill_` does not", likely=[
                ("same_bug", "the mask does not meet the scores [B, T, S] rightly; it "
                 "needs the shape [B, 1, S], with an axis of length 1 in the middle.",
                 "must match the size", "broadcast"),
                ("fixed_sizes", "yours is written for one number of sentences, queries "
                 "or keys; take the sizes from `scores`.",
                 "is invalid for input of size")]), scores.shape, "weights")
        mask = allowed[:, None]
        hidden = scores.masked_fill(~mask, -torch.inf)
        right = hidden.softmax(dim=-1)
        if close(got, right):
            refuse(got[1, :, 1:].any(), "not_exactly_zero",
                   "pads have a tiny weight in yours; minus infinity gives exactly 0.")
            continue
        blame(got.nan_to_num(0.0), [
            ("inverted", "yours hides the words and shows the pads; hide where "
             "`allowed` is False: `~allowed`.",
             scores.masked_fill(mask, -torch.inf).softmax(dim=-1).nan_to_num(0.0)),
            ("zero_after", "you set weights to 0 after the softmax; the rows do not "
             "add up to 1.", scores.softmax(dim=-1) * mask),
            ("zero_energy", "a score of 0 still gets a share; use minus infinity.",
             (scores * mask).softmax(dim=-1)),
            ("not_hidden", "nothing is hidden in yours.", scores.softmax(dim=-1)),
            ("over_the_queries", "your softmax runs over the queries; it should run "
             "over the keys, the last axis.", hidden.softmax(dim=1).nan_to_num(0.0)),
            ("over_the_batch", "your softmax runs over the sentences, so each depends "
             "on the others; it should run over the keys, the last axis.",
             hidden.softmax(dim=0).nan_to_num(0.0)),
            ("masks_mixed", "yours lays the masks one below the other, again and "
             "again, so a query gets another sentence's; repeat each mask for its "
             "queries.", scores.masked_fill(~allowed.repeat(T, 1).view(B, T, S),
                                            -torch.inf).softmax(dim=-1))])
        refuse(size > 3, "overflow", "with large scores exp overflows; the `softmax` "
               "that you imported is safe.")
        refuse(got.isnan().all(), "all_nan", "all your weights are nan: you hide "
               "everything, or you multiply by infinity, and 0 times infinity is nan. "
               "Use `masked_fill`.")
        refuse(got.isnan().any(), "nan", "some rows are not a number: everything is "
               "hidden in them. Whose mask do they get?")
        fill(got, scores.double(), mask)
        other = got.gt(1e-9) != mask    # a pad has weight, or a word has none
        wrong_row("wrong_weights", f"weights, with {name},", got, right,
                  " Whose mask is it?" * bool(other.any()))
    return "each sentence has its own mask, for all of its queries."


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
           "not_three_things",
           "return three things: the output, the new state and the weights.")
    output, new, weights = (tensor(*each) for each in zip(
        returned, [(3, 4), (2, 3, 4), (3, 5)], ["output", "new state", "weights"]))
    with torch.no_grad():
        outputs, after = rnn(word[:, None], state)
        query = outputs[:, 0]
        context, right = looked(query, states, lengths)
        joined = torch.cat([context.float(), query], dim=-1)

        def found(query=query, **options):
            return looked(query, states, lengths, **options)[1]

        blame(new, [
            ("old_state", "yours returns the state that it was given; the next step "
             "needs the one that the RNN makes of it.", state),
            ("forgets", "your RNN starts from zeros at every step; hand it the state.",
             rnn(word[:, None])[1])])
        refuse(not close(new, after), "wrong_state",
               "the new state is what the RNN returns for the word and the state.")
        blame(weights, [
            ("old_query", "your query is the state before the word is read; read "
             "first, then take the new state.", found(state[-1])),
            ("bottom_layer", "your query is the state of the bottom layer; take that "
             "of the top layer.", found(after[0])),
            ("reads_pads", "pads have weights in yours; give them the energy minus "
             "infinity.", found(hide="no")),
            ("zero_after", "you set weights of pads to 0 after the softmax, so the "
             "others do not add up to 1.", found(hide="after")),
            ("zero_energy", "an energy of 0 still gets a share, since exp(0) is 1; "
             "minus infinity gets none.", found(hide="zero energy")),
            ("inverted", "yours hides the words and shows the pads; hide where "
             "`allowed` is False: `~allowed`.", found(hide="turned")),
            ("scaled", "yours divides the energies by 2, the root of the width; this "
             "chapter does not.", found(scale=0.5)),
            ("over_the_batch", "your softmax runs over the sentences; it should run "
             "over the words of one.", found(axis=0))])
        if not close(weights, right):
            wrong_row("wrong_weights", "weights", weights, right)
        blame(output, [
            ("no_tanh", "there is no tanh behind `join` in yours.", join(joined)),
            ("query_first", "yours joins the query and the context; here the context "
             "comes first.", join(joined.roll(4, dims=-1)).tanh()),
            ("joins_old_state", "yours joins the context with the state before the "
             "word; take the query.",
             join(torch.cat([context.float(), state[-1]], dim=-1)).tanh()),
            ("not_joined", "yours returns the context; join it with the query.",
             context, context.tanh())])
        if not close(output, join(joined).tanh()):
            wrong_row("wrong_output", "output", output, join(joined).tanh().double())

    def stepped(*parts):
        kind = parts[0].dtype
        made = attention_step(*parts, allowed, rnn.to(kind), join.to(kind))
        return torch.cat([part.flatten() for part in made[:2]])

    learns(stepped, learned)
    return "read, look up with the new state, join: one step for any number of layers."
