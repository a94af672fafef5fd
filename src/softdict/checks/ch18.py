"""Checks for the exercises of chapter 18, nothing computed twice."""

import torch

from softdict.checks.answers import ask, blame, close, learns, pair, tensor, wrong_row
from softdict.checks.result import Mistake, exercise, refuse
from softdict.layers import sinusoids


@exercise("18-1", points=2)
def check_18_1(attend_step):
    chance = torch.Generator().manual_seed(18)

    def drawn(*shape):
        return torch.randn(shape, generator=chance, dtype=torch.float64)

    cases = [(drawn(D), drawn(P, K), drawn(P, K), drawn(D, K), drawn(D, K), drawn(D, K))
             for D, P, K in ((4, 2, 3), (3, 0, 4), (6, 5, 4), (2, 1, 9))]

    def step(x, keys, values, W_Q, W_K, W_V, kind="right"):
        key, value, query = x @ W_K, x @ W_V, x @ W_Q
        if kind == "exchanged":
            key, value = value, key
        if kind == "one_matrix":
            value = key
        front, root = kind == "in_front", keys.shape[1] ** 0.5
        every = [torch.stack([one, *rest] if front else [*rest, one])
                 for one, rest in ((key, keys), (value, values))]
        asked = (keys, values) if kind == "without_itself" else every
        if kind == "asks_with_word":
            query = (x @ W_K)
        scores = query @ asked[0].T / {"not_divided": 1, "divided_by_width": root ** 2,
                                       "root_of_word": len(x) ** 0.5}.get(kind, root)
        if kind == "only_itself":
            return value, *every
        if kind == "first_alone":
            return every[1][0], *every
        weights = {"no_softmax": scores, "all_weigh_one": torch.ones_like(scores)}.get(
            kind, scores.softmax(dim=-1))
        return weights @ asked[1], *every

    got, names = [], ("answer", "keys", "values")
    for case in cases:
        returned = ask(attend_step, *case)
        refuse(not isinstance(returned, (tuple, list)) or len(returned) != 3,
               "not_three_things")
        (P, K), mine, x = case[1].shape, returned[1:], case[0]
        refuse(getattr(returned[0], "shape", None) == (1, K), "answer_as_matrix", K=K)
        refuse(P > 1 and any(getattr(part, "shape", None) in ((1, K), (K,))
                             and close(part.reshape(K), x @ matrix)
                             for part, matrix in zip(mine, case[4:])), "new_alone",
               right=P + 1)
        refuse(any(getattr(part, "shape", None) == (P, K) for part in mine),
               "nothing_added", right=P + 1, P=P)
        got.append([*map(tensor, returned, ((K,), (P + 1, K), (P + 1, K)), names)])
    right = [step(*case) for case in cases]
    if close(got, right):
        learned = [part.requires_grad_() for part in cases[0]]
        learns(lambda *parts: attend_step(*parts)[0], learned)
        return
    refuse(all(close(mine, step(*case, "without_itself"))
               for mine, case in zip(got, cases) if len(case[1])), "without_itself")
    likely = [
        "in_front", "only_itself", "exchanged", "one_matrix", "asks_with_word",
        "not_divided", "divided_by_width", "root_of_word", "all_weigh_one",
        "no_softmax", "first_alone"]
    blame(got, [(code, [step(*case, code) for case in cases]) for code in likely])
    for n in (1, 2, 0):
        for mine, wanted in zip(got, right):
            if not close(mine[n], wanted[n]):
                wrong_row(f"wrong_{names[n]}", mine[n], wanted[n])


@exercise("18-2", points=2)
def check_18_2(embed_new):
    chance = torch.Generator().manual_seed(82)
    cases = []
    for N, T, D, length in ((2, 1, 4, 0), (3, 1, 6, 4), (1, 3, 4, 2), (2, 4, 8, 5)):
        table = torch.randn(7, D, generator=chance, dtype=torch.float64)
        cases.append((table, torch.randint(7, (N, T), generator=chance), length))

    def embedded(table, ids, length, kind="right"):
        T, D = ids.shape[1], table.shape[1]
        first = {"at_zero": 0, "one_late": length + 1, "one_early": length - 1,
                 "by_sentences": len(ids), "by_new_words": T,
                 "by_sentences_later": len(ids) if length else 0,
                 "by_new_words_later": T if length else 0}
        positions = torch.arange(T) + first.get(kind, length)
        if kind == "same_position":
            positions = torch.full((T,), length)
        codes = sinusoids(positions, D).double()
        if kind == "no_positions":
            codes = torch.zeros_like(codes)
        if kind == "root_of_sum":
            return (table[ids] + codes) * D ** 0.5
        return table[ids] * (1 if kind == "no_root" else D ** 0.5) + codes

    got = []
    for table, ids, length in cases:
        returned = ask(embed_new, table, ids, length)
        (N, T), D = ids.shape, table.shape[1]
        if getattr(returned, "shape", None) == (N, N, D) != (N, T, D):
            codes = sinusoids(torch.arange(N) + length, D)
            refuse(close(returned, table[ids] * D ** 0.5 + codes), "counts_sentences")
        got.append(tensor(returned, (N, T, D), "vectors"))
    right = [embedded(*case) for case in cases]
    if close(got, right):
        table = cases[0][0].clone().requires_grad_()
        learns(lambda table: embed_new(table, *cases[0][1:]), [table])
        return
    likely = [
        "at_zero", "one_late", "one_early", "same_position", "no_positions", "no_root",
        "root_of_sum"]
    blame(got, [(code, [embedded(*case, code) for case in cases]) for code in likely]
          + [(code, *[[embedded(*case, f"{code}{later}") for case in cases]
                      for later in ("", "_later")])
             for code in ("by_sentences", "by_new_words")])
    for mine, wanted in zip(got, right):
        if not close(mine, wanted):
            wrong_row("wrong_vectors", mine, wanted)


@exercise("18-3", points=1)
def check_18_3(key_rows_made):
    for S, T, layers in ((7, 5, 1), (4, 11, 3), (20, 2, 6), (3, 1, 2)):
        returned = pair(ask(key_rows_made, S, T, layers))
        got = tuple(float(count) for count in returned)
        words = T * (T + 1) // 2
        right = layers * (words + T * S), layers * (T + S)
        if got == right:
            continue
        blame(got, [
            ("swapped", right[::-1]),
            ("one_layer", (words + T * S, T + S), (right[0], T + S),
             (words + T * S, right[1])),
            ("source_of_one_layer", (right[0], layers * T + S),
             (layers * words + T * S, right[1]),
             (layers * words + T * S, layers * T + S)),
            ("words_of_one_layer", (right[0], T + layers * S),
             (words + layers * T * S, right[1]),
             (words + layers * T * S, T + layers * S)),
            ("source_once", (layers * (words + S), right[1])),
            ("no_source", (layers * words, layers * T)),
            ("squared", (layers * (T * T + T * S), right[1])),
            ("without_bos",
             *((one, other) for one in (layers * (T * (T - 1) // 2 + T * S), right[0])
               for other in (layers * (T - 1 + S), right[1]) if (one, other) != right)),
            ("source_again", (right[0], layers * (T + T * S))),
            ("products", (layers * (words * S), layers * T * S)),
            ("values_too", (2 * right[0], 2 * right[1]))])
        refuse(got[0] != right[0], "wrong_number-without", S=S, T=T, layers=layers,
               right=right[0], got=got[0])
        raise Mistake("wrong_number-with", S=S, T=T, layers=layers, right=right[1],
                      got=got[1])
