"""Checks for the exercises of chapter 06, look again."""

from types import SimpleNamespace

import torch

from softdict.checks.result import Mistake, attempt, close, exercise


def two(returned, shapes, names=("contexts", "weights")):
    """The reader's two tensors; raises Mistake unless they have these shapes."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", "return two things, the contexts and the weights.")
    for got, name in zip(returned, names):
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours are of type {type(got).__name__}.")
    got = [tuple(tensor.shape) for tensor in returned]
    if got == shapes[::-1]:
        raise Mistake("swapped", "return the contexts first and the weights second.")
    for shape, wanted, name in zip(got, shapes, names):
        if shape != wanted:
            raise Mistake("wrong_shape", f"the {name} should be {list(wanted)} here; yours are {list(shape)}.")
    return [tensor.detach().double() for tensor in returned]


def looked(query, states, lengths, energies=None, hide="before", scale=1.0, axis=-1):
    """Contexts and weights of the dot product, or of a common mistake."""
    real = torch.arange(states.shape[1]) < lengths[:, None]
    energies = scale * (states @ query[:, :, None])[:, :, 0] if energies is None else energies
    if hide == "before":
        energies = energies.masked_fill(~real, float("-inf"))
    if hide == "zero energy":
        energies = energies * real
    weights = energies.softmax(dim=axis).nan_to_num(0.0)
    if hide == "after":
        weights = weights * real
    return (weights[:, None] @ states)[:, 0], weights


@exercise("06-1", points=3)
def check_06_1(look):
    torch.manual_seed(6)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    lengths = torch.tensor([5, 2, 3])
    given = query.clone(), states.clone(), lengths.clone()
    contexts, weights = two(look(*given), [(3, 4), (3, 5)])
    if not all(torch.equal(one, other) for one, other in zip(given, (query, states, lengths))):
        raise Mistake("changes_arguments", "yours changes what it was given; work on copies.")
    right = [tensor.double() for tensor in looked(query, states, lengths)]
    if close(contexts, right[0]) and close(weights, right[1]):
        if (weights[torch.arange(5) >= lengths[:, None]] != 0).any():
            raise Mistake("not_exactly_zero", "pads have a tiny weight in yours; minus infinity, or leaving them out, "
                                              "gives exactly 0.")
        strange = states.clone()
        strange[1, 2:], strange[2, 3:] = 1e30 * query[1], 1e30 * query[2]
        again = two(look(query.clone(), strange, lengths.clone()), [(3, 4), (3, 5)])
        if not all(close(one, other) for one, other in zip(again, right)):
            raise Mistake("large_pads", "pads may hold anything, and with very large numbers in them yours fails: "
                                        "take the real states only, or give pads the energy minus infinity.")
        large = two(look(60 * query, states.clone(), lengths.clone()), [(3, 4), (3, 5)])
        if not all(close(one, other.double()) for one, other in zip(large, looked(60 * query, states, lengths))):
            raise Mistake("overflow", "with large energies exp overflows; the `softmax` that you imported is safe.")
        return "each query is answered from its own words, and pads weigh nothing."
    real = torch.arange(5) < lengths[:, None]
    sums = (states * real[..., None]).sum(dim=1).double()
    energies = (states @ query[:, :, None])[:, :, 0]
    likely = [
        ("reads_pads", looked(query, states, lengths, hide="no"), "pads have weights in yours; take the real states "
                                                                  "only."),
        ("zero_after", looked(query, states, lengths, hide="after"),
         "you set weights of pads to 0 after the softmax, so the others do not add up to 1."),
        ("zero_energy", looked(query, states, lengths, hide="zero energy"),
         "an energy of 0 still gets a share, since exp(0) is 1; take the pads out before the softmax."),
        ("scaled", looked(query, states, lengths, scale=0.5), "yours divides the energies by 2, the root of the width; "
                                                              "this chapter does not."),
        ("over_the_batch", looked(query, states, lengths, axis=0), "your softmax runs over the sentences; it should "
                                                                   "run over the words of one."),
        ("no_softmax", (None, energies.masked_fill(~real, 0.0)), "your weights are energies; softmax comes between."),
        ("shares", (None, (energies * real) / (energies * real).sum(dim=1, keepdim=True)),
         "your weights are shares of the energies themselves; softmax takes the shares of their exponentials."),
        ("one_query", looked(query[:1].expand(3, 4), states, lengths), "every sentence is asked with the query of the "
                                                                       "first; each has its own."),
        ("hard", (None, torch.nn.functional.one_hot(energies.masked_fill(~real, -1e9).argmax(dim=1), 5)),
         "yours takes the best state alone; all real states count, each with its weight."),
    ]
    for code, (_, wrong), sentence in likely:
        if close(weights, wrong.double()):
            raise Mistake(code, sentence)
    if close(weights, right[1]):
        if close(contexts, sums):
            raise Mistake("plain_sum", "the weights are right; your contexts are plain sums, without them.")
        if close(contexts, right[0] * 3) or close(contexts, right[0] / lengths[:, None]):
            raise Mistake("divides_again", "the weights add up to 1 already; do not divide once more.")
        raise Mistake("wrong_contexts", "the weights are right, and the contexts are not: add up the states, each "
                                        "times its weight.")
    raise Mistake("wrong_weights", f"the weights of the second sentence are "
                                   f"{[round(w, 3) for w in right[1][1].tolist()]}; yours are "
                                   f"{[round(w, 3) for w in weights[1].tolist()]}.")


@exercise("06-2", points=2)
def check_06_2(mean_context):
    torch.manual_seed(7)
    query, states = torch.randn(3, 4), torch.randn(3, 5, 4)
    allowed = torch.arange(5) < torch.tensor([[5], [2], [3]])
    learned = states.clone().requires_grad_()
    encoded = SimpleNamespace(states=learned, allowed=allowed.clone(), final=states[None, :, 0].clone())
    returned = mean_context(query.clone(), encoded)
    contexts, weights = two(returned, [(3, 4), (3, 5)])
    if not torch.equal(encoded.states, states) or not torch.equal(encoded.allowed, allowed):
        raise Mistake("changes_arguments", "yours changes what the encoder read; make new tensors.")
    right = allowed / allowed.sum(dim=1, keepdim=True)
    likely = [
        ("counts_pads", torch.full((3, 5), 0.2), "pads count in yours; give weight to the real words only."),
        ("not_normalised", allowed.float(), "your weights are 1 for each word, so together they are more than 1; "
                                            "divide by the number of words."),
        ("divides_by_all", allowed / 5, "yours divides by the number of columns; divide by the number of real words of "
                                        "each sentence."),
        ("inverted", ~allowed / (~allowed).sum(dim=1, keepdim=True).clamp(min=1), "yours looks at the pads; True "
                                                                                  "means: may look."),
        ("over_the_batch", allowed / allowed.sum(dim=0, keepdim=True), "your weights add up to 1 over the sentences; "
                                                                       "they should over the words of one."),
        ("one_for_all", allowed / allowed.sum(), "yours divides by the words of the whole batch; divide by the words "
                                                 "of each sentence."),
        ("asks", looked(query, states, allowed.sum(dim=1))[1], "yours asks; here the query does not count."),
    ]
    for code, wrong, sentence in likely:
        if close(weights, wrong.double()):
            raise Mistake(code, sentence)
    if not close(weights, right.double()):
        raise Mistake("wrong_weights", f"the weights of the second sentence are {right[1].tolist()}; yours are "
                                       f"{[round(w, 3) for w in weights[1].tolist()]}.")
    if not close(contexts, (right[:, None] @ states)[:, 0].double()):
        raise Mistake("wrong_contexts", "the weights are right, and the contexts are not: average the states with "
                                        "these weights.")
    if not returned[0].requires_grad or torch.autograd.grad(returned[0].sum(), learned, allow_unused=True)[0] is None:
        raise Mistake("detached", "the numbers are right, but no gradient flows back through your contexts, so the "
                                  "encoder could not learn; work with the tensors as they come.")
    return "every real word counts alike, whatever is asked."


@exercise("06-3", points=2)
def check_06_3(hidden_weights):
    torch.manual_seed(8)
    cases = ((3, 4, 5, 3, "four queries"), (3, 3, 5, 3, "three queries"), (2, 4, 6, 3, "two sentences"),
             (3, 4, 5, 300, "large scores"))
    for B, T, S, size, name in cases:
        scores = torch.randn(B, T, S) * size
        allowed = torch.arange(S) < torch.tensor([[5], [1], [3]])[:B]
        given = scores.clone(), allowed.clone()
        axes = ("the mask does not meet the scores [B, T, S] rightly; it needs the shape [B, 1, S], with an axis of "
                "length 1 in the middle.")
        got = attempt(lambda: hidden_weights(*given), ("must match the size", "same_bug", axes),
                      ("broadcast", "same_bug", axes),
                      ("is invalid for input of size", "fixed_sizes", "yours is written for one number of sentences, "
                                                                      "queries or keys; take the sizes from `scores`."))
        if got is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if not isinstance(got, torch.Tensor) or got.shape != scores.shape:
            raise Mistake("wrong_shape", f"return one tensor of the shape of the scores, {list(scores.shape)} here.")
        if not torch.equal(given[0], scores) or not torch.equal(given[1], allowed):
            raise Mistake("changes_arguments", "yours changes the scores or the mask that it was given; `masked_fill` "
                                               "makes a new tensor, `masked_fill_` does not.")
        mask = allowed[:, None]
        right = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
        if close(got, right):
            if (got[1, :, 1:] != 0).any():
                raise Mistake("not_exactly_zero", "pads have a tiny weight in yours; minus infinity gives exactly 0.")
            continue
        likely = [
            ("inverted", scores.masked_fill(mask, float("-inf")).softmax(dim=-1).nan_to_num(0.0),
             "yours hides the words and shows the pads; hide where `allowed` is False: `~allowed`."),
            ("zero_after", scores.softmax(dim=-1) * mask, "you set weights to 0 after the softmax; the rows do not add "
                                                          "up to 1."),
            ("zero_energy", (scores * mask).softmax(dim=-1), "a score of 0 still gets a share; use minus infinity."),
            ("not_hidden", scores.softmax(dim=-1), "nothing is hidden in yours."),
            ("over_the_queries", scores.masked_fill(~mask, float("-inf")).softmax(dim=1).nan_to_num(0.0),
             "your softmax runs over the queries; it should run over the keys, the last axis."),
        ]
        for code, wrong, sentence in likely:
            if close(got.nan_to_num(0.0), wrong):
                raise Mistake(code, sentence)
        if size > 3:
            raise Mistake("overflow", "with large scores exp overflows; the `softmax` that you imported is safe.")
        if got.isnan().any():
            raise Mistake("nan", "some rows are not a number: everything is hidden in them. Whose mask do they get?")
        n, t = next((n, t) for n in range(B) for t in range(T) if not close(got[n, t], right[n, t]))
        raise Mistake("wrong_weights", f"with {name}, row {t} of sentence {n} should be "
                                       f"{[round(w, 3) for w in right[n, t].tolist()]}; yours is "
                                       f"{[round(w, 3) for w in got[n, t].tolist()]}. Whose mask is it?")
    return "each sentence has its own mask, for all of its queries."
