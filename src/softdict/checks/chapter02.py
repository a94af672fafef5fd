"""Checks for the exercises of chapter 02, soft lookup."""

import torch

from softdict.checks.result import Mistake, close, exercise, pair


def tensors(returned, shapes):
    """The reader's answers and weights; raises Mistake if they are not tensors of the two shapes."""
    returned = pair(returned)
    for name, got, shape in zip(("answer", "weights"), returned, shapes):
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours is a {type(got).__name__}.")
        if got.shape != shape:
            raise Mistake("wrong_shape", f"the {name} should have the shape {list(shape)}; "
                                         f"yours has {list(got.shape)}.")
    return returned


@exercise("02-1", points=3)
def check_02_1(vector_lookup):
    query = torch.tensor([1.0, 2.0, 0.0, -1.0])
    key = torch.tensor([[2.0, 1.0, 0.0, 0.0], [0.5, 1.0, 0.3, -0.4], [-3.0, 0.0, 1.0, 2.0]])
    value = torch.tensor([[9.0, 1.0], [2.0, 5.0], [3.0, -4.0]])
    cosines = torch.cosine_similarity(query, key, dim=1)

    def run(query, key, temperature):
        inputs = (query.clone(), key.clone(), value.clone())
        return tensors(vector_lookup(*inputs, temperature), [(2,), (3,)])

    answer, weights = run(query, key, 0.5)
    if not close(weights, torch.softmax(cosines / 0.5, dim=0)):
        if close(weights, cosines / cosines.sum()) or close(weights, cosines / 0.5 / (cosines / 0.5).sum()):
            raise Mistake("shares", "yours are shares of the scores, and one of them is negative: "
                                    f"{[round(weight, 2) for weight in weights.tolist()]}. "
                                    "Take exp of the scores first.")
        if close(weights, torch.softmax(cosines, dim=0)):
            raise Mistake("no_temperature", "your weights do not change with the temperature; "
                                            "divide the scores by it.")
        if close(weights, torch.softmax(cosines * 0.5, dim=0)):
            raise Mistake("multiplies", "a low temperature should make the best key stronger, and yours makes it weaker. "
                                        "Do you multiply by the temperature?")
        if close(weights, torch.softmax(key @ query / 0.5, dim=0)):
            raise Mistake("dot_product", "your score is the dot product, so a long key wins; "
                                         "divide by the length of the query and of the key.")
        if close(weights, torch.softmax(key @ query / key.norm(dim=1) / 0.5, dim=0)):
            raise Mistake("query_length", "your score changes with the length of the query; divide by that length too.")
        if close(weights, (cosines / 0.5).exp()):
            raise Mistake("not_normalised", f"your weights add up to {weights.sum():.3f}, and not to 1. "
                                            "Divide each by their sum.")
        if not close(weights.sum(), 1):
            raise Mistake("not_normalised", f"your weights add up to {weights.sum():.3f}, and not to 1.")
        raise Mistake("wrong_weights", "the weights are softmax(cosine / temperature), here "
                                       f"{[round(w, 3) for w in torch.softmax(cosines / 0.5, dim=0).tolist()]}; "
                                       f"yours are {[round(w, 3) for w in weights.tolist()]}.")
    if not close(answer, weights @ value):
        raise Mistake("wrong_answer", "your weights are right; the answer is each row of value times its weight, added up.")
    _, weights = run(query, torch.stack([key[0], torch.zeros(4), key[2]]), 0.5)
    if weights.isnan().any():
        raise Mistake("zero_vector", "a key of zeros has length 0, and yours divides by it; its cosine should be 0.")
    if not close(weights, torch.softmax(torch.stack([cosines[0], torch.tensor(0.0), cosines[2]]) / 0.5, dim=0)):
        raise Mistake("zero_vector", "a key of zeros should get the cosine 0, and take part in the softmax with it.")
    try:
        _, weights = run(query, key, 0.001)
    except OverflowError:
        raise Mistake("overflow", "at temperature 0.001 the scores are near 1000, and exp overflows. "
                                  "Take the largest score away from all of them first.")
    if not close(weights, torch.softmax(cosines / 0.001, dim=0)):
        raise Mistake("overflow", "at temperature 0.001 the scores are near 1000, and exp overflows to nan. "
                                  "Take the largest score away from all of them first.")
    return "scores, weights and answer are right, for zero vectors and low temperatures too."


@exercise("02-2", points=2)
def check_02_2(temperature_for):
    for scores, share in [([0.1, 0.9, 0.7], 0.9), ([0.1, 0.9, 0.7], 0.4), ([3.0, -2.0, 2.5, 0.0], 0.6),
                          ([-40.0, -10.0, -30.0, -90.0], 0.5), ([0.02, 0.01], 0.99)]:
        scores = torch.tensor(scores)
        returned = temperature_for(scores.clone(), share)
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        temperature = float(returned)
        if not temperature > 0:
            raise Mistake("not_positive", f"a temperature is above 0; yours is {temperature}.")
        reached = torch.softmax(scores.double() / temperature, dim=0).max().item()
        if abs(reached - share) <= 0.001:
            continue
        here = f"for the scores {[round(score, 3) for score in scores.tolist()]} and the share {share}"
        if abs(torch.softmax(scores.double() * temperature, dim=0).max().item() - share) <= 0.001:
            raise Mistake("inverse", f"{here} you return one over the temperature; the scores are divided by it.")
        if temperature < 0.0011 or temperature > 990:
            raise Mistake("wrong_direction", f"{here} you end at {temperature:.3g}, at the edge of the search. "
                                             "When it is too cold, is it `low` that you raise?")
        best = scores.double().max() / temperature
        if abs((best / (scores.double() / temperature).sum()).item() - share) <= 0.001:
            raise Mistake("shares", f"{here} you used shares of the scores; use the softmax.")
        raise Mistake("not_close", f"{here} the largest weight should be {share}; at your temperature "
                                   f"{temperature:.4g} it is {reached:.3f}.")
    return "the largest weight is where you want it, five times out of five."


@exercise("02-3", points=2)
def check_02_3(batch_lookup):
    draw = torch.Generator().manual_seed(3)
    query, key, value = (torch.randn(2, *shape, generator=draw) for shape in [(3, 4), (5, 4), (5, 6)])
    scores = query @ key.transpose(1, 2) / 0.7
    expected = torch.softmax(scores, dim=2)
    answer, weights = pair(batch_lookup(query.clone(), key.clone(), value.clone(), 0.7))
    for name, got in [("answers", answer), ("weights", weights)]:
        if not isinstance(got, torch.Tensor):
            raise Mistake("no_tensor", f"the {name} should be a tensor; yours are a {type(got).__name__}.")
    if weights.shape == (2, 5, 3):
        raise Mistake("swapped", "your weights have one row a key; with 3 queries and 5 keys they should be [2, 3, 5]. "
                                 "Did query and key change places?")
    if weights.shape != (2, 3, 5) or answer.shape != (2, 3, 6):
        raise Mistake("wrong_shape", "weights should be [2, 3, 5] and answers [2, 3, 6]; "
                                     f"yours are {list(weights.shape)} and {list(answer.shape)}.")
    if close(weights, torch.softmax(scores, dim=1)):
        raise Mistake("over_queries", "your columns add up to 1. For one query, the weights over the keys should.")
    if close(weights, torch.softmax(scores, dim=0)):
        raise Mistake("over_batch", "your softmax runs over the shops. For one query, the weights over the keys should add up to 1.")
    if close(weights, torch.softmax(scores * 0.7, dim=2)):
        raise Mistake("no_temperature", "your weights do not change with the temperature; divide the scores by it.")
    if close(weights, torch.softmax(scores * 0.7 * 0.7, dim=2)):
        raise Mistake("multiplies", "you multiply the scores by the temperature; divide by it.")
    if not close(weights, expected):
        raise Mistake("wrong_weights", "the weights are the softmax, over the keys, of the dot products divided by the temperature; "
                                       "one shop must not see the keys of another.")
    if not close(answer, expected @ value):
        raise Mistake("wrong_answer", "your weights are right; the answers are the weights times the values, shop by shop.")
    return "every query is answered from its own shop."


@exercise("02-4", points=2)
def check_02_4(fixed_lookup):
    value = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    scores = torch.tensor([[5.0, 0.0, 0.0], [-1.0, 2.0, 0.5]])
    for temperature in (1.0, 0.5):
        expected = torch.softmax(scores / temperature, dim=1)
        answer, weights = tensors(fixed_lookup(scores.clone(), value.clone(), temperature), [(2, 2), (2, 3)])
        if close(weights, expected):
            if not close(answer, expected @ value):
                raise Mistake("wrong_answer", "your weights are right; the answers are weights @ value.")
            continue
        once = torch.softmax(scores, dim=1)
        if close(weights, torch.softmax(once / temperature, dim=1)) or close(weights, torch.softmax(expected, dim=1)):
            raise Mistake("softmax_twice", "the weights have been through softmax twice: "
                                           f"the first key leads by 5 and gets only {weights[0, 0]:.2f}.")
        if close(weights, once):
            raise Mistake("no_temperature", "at temperature 0.5 your weights are those of temperature 1; "
                                            "divide the scores by the temperature.")
        if close(weights, once / temperature) or not close(weights.sum(dim=1), torch.ones(2)):
            raise Mistake("divides_weights", f"your rows add up to {weights.sum(dim=1).tolist()}; "
                                             "the temperature divides the scores, not the weights.")
        raise Mistake("wrong_weights", "the weights are softmax(scores / temperature), once, over the last axis.")
    return "one softmax, over scores divided by the temperature."
