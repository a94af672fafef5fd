"""Checks for the exercises of chapter 02, soft lookup."""

import torch

from softdict.checks.result import Mistake, attempt, close, exercise, short, two_tensors


@exercise("02-1", points=2)
def check_02_1(temperature_for):
    for scores, share in [([0.1, 0.9, 0.7], 0.9), ([0.1, 0.9, 0.7], 0.4), ([3.0, -2.0, 2.5, 0.0], 0.6),
                          ([-40.0, -10.0, -30.0, -90.0], 0.5), ([0.02, 0.01], 0.99), ([500.0, 499.0, 100.0], 0.9)]:
        scores = torch.tensor(scores)
        returned = attempt(lambda: temperature_for(scores.clone(), share),
                           ("math range error", "overflow", "exp overflows on the way; use torch.softmax, "
                                                            "or take the largest score away first."))
        if returned is None:
            raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
        if isinstance(returned, (tuple, list)):
            raise Mistake("not_one_number", f"return one number, the temperature; yours are {len(returned)} numbers.")
        temperature = float(returned)
        if not temperature > 0:
            raise Mistake("not_positive", f"a temperature is above 0; yours is {temperature}.")
        reached = torch.softmax(scores.double() / temperature, dim=0).max().item()
        if abs(reached - share) <= 0.001:
            continue
        here = f"for the scores {short(scores)} and the share {share}"
        if scores.max() > 100:
            raise Mistake("overflow", f"{here} exp overflows on the way, and your weights become nan; "
                                      "use torch.softmax, or take the largest score away first.")
        if abs(torch.softmax(scores.double() * temperature, dim=0).max().item() - share) <= 0.001:
            raise Mistake("inverse", f"{here} you return one over the temperature; the scores are divided by it.")
        if temperature < 0.0011 or temperature > 990:
            raise Mistake("wrong_direction", f"{here} you end at {temperature:.3g}, at the edge of the search. "
                                             "Do you follow the largest weight? When it is too large, it is too "
                                             "cold: which end of the interval do you move?")
        if abs(reached - share) < 0.03:
            raise Mistake("too_coarse", f"{here} the largest weight is {reached:.4f} at your temperature; "
                                        "you are near, so search more finely.")
        raise Mistake("not_close", f"{here} the largest weight should be {share}; at your temperature "
                                   f"{temperature:.4g} it is {reached:.3f}.")
    return "the largest weight is where you want it, six times out of six."


@exercise("02-2", points=3)
def check_02_2(vector_lookup):
    query = torch.tensor([1.0, 2.0, 0.0, -1.0])
    key = torch.tensor([[2.0, 1.0, 0.0, 0.0], [0.5, 1.0, 0.3, -0.4], [-3.0, 0.0, 1.0, 2.0]])
    value = torch.tensor([[9.0, 1.0], [2.0, 5.0], [3.0, -4.0]])
    cosines, product, long = torch.cosine_similarity(query, key, dim=1), key @ query, key.norm(dim=1)
    warm = 0.4

    def run(query, key, temperature):
        return two_tensors(vector_lookup(query.clone(), key.clone(), value.clone(), temperature), (2,), (3,))

    answer, weights = attempt(
        lambda: run(query, key, warm),
        ("size mismatch", "shapes", "look at the shapes: the answer is S weights times S rows of value."),
        ("must match the size", "shapes", "look at the shapes: the answer is S weights times S rows of value."))
    likely = [
        ("shares", cosines / cosines.sum(), "yours are shares of the scores, and one of them is negative. "
                                            "Take exp of the scores first."),
        ("no_temperature", torch.softmax(cosines, dim=0), "your weights do not change with the temperature; "
                                                          "divide the scores by it."),
        ("multiplies", torch.softmax(cosines * warm, dim=0), "a low temperature should make the best key stronger, "
                                                             "and yours weaker. Do you multiply by it?"),
        ("dot_product", torch.softmax(product / warm, dim=0), "your score is the dot product, so a long key wins; "
                                                              "divide by the lengths of query and key."),
        ("query_length", torch.softmax(product / long / warm, dim=0), "your score changes with the length of the "
                                                                      "query; divide by that length too."),
        ("key_length", torch.softmax(product / query.norm() / warm, dim=0), "your score changes with the length of "
                                                                            "the key; divide by that length too."),
        ("squared_length", torch.softmax(product / (query.norm() * long) ** 2 / warm, dim=0),
         "a length is the square root of the sum of squares; yours lacks the root."),
        ("divides_weights", torch.softmax(cosines, dim=0) / warm, "the temperature divides the scores, "
                                                                  "before the softmax; yours divides the weights."),
    ]
    if not close(weights, torch.softmax(cosines / warm, dim=0)):
        for code, wrong, sentence in likely:
            if close(weights, wrong):
                raise Mistake(code, sentence)
        if not close(weights.sum(), 1):
            raise Mistake("not_normalised", f"your weights add up to {weights.sum():.3f}, and not to 1. "
                                            "Divide each by their sum.")
        raise Mistake("wrong_weights", "the weights are softmax(cosine / temperature), here "
                                       f"{short(torch.softmax(cosines / warm, dim=0))}; yours are {short(weights)}.")
    if not close(answer, weights @ value.double()):
        raise Mistake("wrong_answer", "your weights are right; the answer is each row of value times its weight, "
                                      "added up.")
    zero = "division by zero", "zero_vector", "a vector of zeros has length 0; look at the length before you divide."
    _, weights = attempt(lambda: run(query, torch.stack([key[0], torch.zeros(4), key[2]]), warm), zero)
    if not close(weights, torch.softmax(torch.stack([cosines[0], torch.tensor(0.0), cosines[2]]) / warm, dim=0)):
        raise Mistake("zero_vector", "a key of zeros has length 0, and dividing by it gives nan; "
                                     "its cosine should be 0, and it takes part in the softmax with it.")
    _, weights = attempt(lambda: run(torch.zeros(4), key, warm), zero)
    if not close(weights, torch.full((3,), 1 / 3)):
        raise Mistake("zero_query", "a query of zeros has cosine 0 with every key, so each gets one third; "
                                    f"yours gives {short(weights)}.")
    too_large = "at temperature 0.001 the scores are near 1000, and exp overflows. Take the largest score away first."
    _, weights = attempt(lambda: run(query, key, 0.001), ("math range error", "overflow", too_large))
    if not close(weights, torch.softmax(cosines / 0.001, dim=0)):
        raise Mistake("overflow", too_large)
    far = torch.stack([-key[0], -key[1], key[2]])
    too_small = "with scores far below 0 every exp becomes 0; take away the largest score, whatever its sign."
    _, weights = attempt(lambda: run(query, far, 0.0005), ("division by zero", "underflow", too_small))
    if not close(weights, torch.softmax(torch.cosine_similarity(query, far, dim=1) / 0.0005, dim=0)):
        raise Mistake("underflow", too_small)
    return "scores, weights and answer are right, for zero vectors and low temperatures too."


@exercise("02-3", points=2)
def check_02_3(batch_lookup):
    draw = torch.Generator().manual_seed(3)
    query, key, value = (torch.randn(2, *shape, generator=draw) for shape in [(3, 4), (5, 4), (5, 6)])
    scores = query @ key.transpose(1, 2)
    swap = "bmm wants [B, T, K] and [B, K, S]: swap the last two axes of key."
    answer, weights = two_tensors(attempt(
        lambda: batch_lookup(query.clone(), key.clone(), value.clone(), 0.7),
        ("to be: [2, 4] but", "not_transposed", swap), ("mat1 and mat2", "not_transposed", swap),
        ("batch2 tensor", "order", "look at the order: bmm(query, key transposed), then bmm(weights, value).")),
        (2, 3, 6), (2, 3, 5))
    likely = [
        ("over_queries", torch.softmax(scores / 0.7, dim=1), "your columns add up to 1. For one query, the weights "
                                                             "over the keys should."),
        ("over_batch", torch.softmax(scores / 0.7, dim=0), "your softmax runs over the shops. For one query, the "
                                                           "weights over the keys should add up to 1."),
        ("no_temperature", torch.softmax(scores, dim=2), "your weights do not change with the temperature; "
                                                         "divide the scores by it."),
        ("multiplies", torch.softmax(scores * 0.7, dim=2), "you multiply the scores by the temperature; divide by it."),
    ]
    for code, wrong, sentence in likely:
        if close(weights, wrong):
            raise Mistake(code, sentence)
    expected = torch.softmax(scores / 0.7, dim=2)
    if not close(weights, expected):
        if not close(weights.sum(dim=2), torch.ones(2, 3)):
            raise Mistake("not_normalised", "the weights of one query should add up to 1; yours add up to "
                                            f"{short(weights[0].sum(dim=1))}.")
        raise Mistake("wrong_weights", "the weights are the softmax, over the keys, of dot product / temperature; "
                                       "one shop must not see the keys of another.")
    if not close(answer, expected @ value):
        raise Mistake("wrong_answer", "your weights are right; the answers are weights times values, shop by shop.")
    return "every query is answered from its own shop."


@exercise("02-4", points=2)
def check_02_4(fixed_lookup):
    value = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    scores = torch.tensor([[5.0, 0.0, 0.0], [-1.0, 2.0, 0.5]])
    for temperature in (0.5, 1.0, 3.0):
        expected, once = torch.softmax(scores / temperature, dim=1), torch.softmax(scores, dim=1)
        answer, weights = two_tensors(fixed_lookup(scores.clone(), value.clone(), temperature), (2, 2), (2, 3))
        if close(weights, expected):
            if not close(answer, expected @ value):
                raise Mistake("wrong_answer", "your weights are right; the answers are weights @ value.")
            continue
        likely = [
            ("softmax_twice", torch.softmax(once / temperature, dim=1), "the weights go through softmax twice: the "
                                                                        "first key leads by 5 and gets too little."),
            ("softmax_twice", torch.softmax(expected, dim=1), "the weights go through softmax twice: the "
                                                              "first key leads by 5 and gets too little."),
            ("over_queries", torch.softmax(scores / temperature, dim=0), "your columns add up to 1; for one query, "
                                                                         "a row, the weights should: dim=-1."),
            ("multiplies", torch.softmax(scores * temperature, dim=1), "you multiply the scores by the temperature; "
                                                                       "divide by it."),
            ("no_temperature", once, f"at temperature {temperature} your weights are those of temperature 1; "
                                     "divide the scores by it."),
            ("divides_weights", once / temperature, "the temperature divides the scores, before the softmax, "
                                                    "and not the weights."),
        ]
        for code, wrong, sentence in likely:
            if close(weights, wrong):
                raise Mistake(code, sentence)
        if not close(weights.sum(dim=1), torch.ones(2)):
            raise Mistake("not_normalised", f"your rows add up to {short(weights.sum(dim=1))}, and not to 1.")
        raise Mistake("wrong_weights", "the weights are softmax(scores / temperature), once, over the last axis.")
    return "one softmax, over scores divided by the temperature."
