"""lookup: against Python's dict, against loops, against torch, values and gradients, on
awkward sizes."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from softdict.lookup import cosine, dot, exact_lookup, is_same, lookup, softmax

B, T, S, K, D = 2, 5, 7, 12, 3
words = st.text(max_size=3)


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64,
                       generator=torch.Generator().manual_seed(sum(shape)))


@given(st.dictionaries(words, st.integers(-1000, 1000), min_size=1))
def test_exact_lookup_equals_a_dictionary_on_every_key(table):
    for query in table:
        answer, weights = exact_lookup(query, list(table), list(table.values()))
        assert answer == table[query]
        assert weights == [float(key == query) for key in table]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-100, 100)), min_size=1))
def test_a_repeated_key_gives_the_mean_of_its_values(pairs):
    keys, values = zip(*pairs)
    own = [value for key, value in pairs if key == keys[0]]
    answer, weights = exact_lookup(keys[0], list(keys), list(values))
    assert math.isclose(answer, sum(own) / len(own), abs_tol=1e-9)
    assert math.isclose(sum(weights), 1.0)


def test_exact_lookup_weighs_vectors():
    values = draw(3, D)
    answer, _ = exact_lookup("b", ["a", "b", "b"], list(values))
    torch.testing.assert_close(answer, (values[1] + values[2]) / 2)


def test_exact_lookup_names_the_missing_key():
    with pytest.raises(KeyError, match="no key equals 'puppy'"):
        exact_lookup("puppy", ["dog"], [2])
    with pytest.raises(KeyError):
        exact_lookup("puppy", [], [])


def test_exact_lookup_wants_one_value_per_key():
    with pytest.raises(ValueError,
                       match="got 2 keys and 1 values; each key needs one value"):
        exact_lookup("dog", ["dog", "cat"], [2])


def test_is_same_is_a_number():
    assert (is_same("dog", "dog"), is_same("dog", "cat")) == (1.0, 0.0)
    assert type(is_same(1, 1)) is float


@pytest.mark.parametrize("scores", [
    draw(B, T, S), draw(S) * 1000, torch.tensor([100.0, 90.0, 0.0]), -draw(T, S) - 1e6])
def test_softmax_equals_torch_also_for_scores_that_overflow_exp(scores):
    torch.testing.assert_close(softmax(scores), torch.softmax(scores, dim=-1))


def test_softmax_ignores_what_is_added_to_all_scores():
    torch.testing.assert_close(softmax(draw(T, S) + 5), softmax(draw(T, S)))


def test_softmax_has_the_gradient_of_torch():
    ours, theirs = (draw(T, S).requires_grad_() for _ in range(2))
    direction = draw(T, S + 1)[:, 1:]
    (softmax(ours) * direction).sum().backward()
    (torch.softmax(theirs, dim=-1) * direction).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad)
    assert theirs.grad.abs().max() > 0.01


def test_dot_and_cosine_equal_loops():
    query, key = draw(B, T, K), draw(B, S, K)
    for b in range(B):
        for t in range(T):
            for s in range(S):
                product = sum(x * y
                              for x, y in zip(query[b, t].tolist(), key[b, s].tolist()))
                lengths = (math.hypot(*query[b, t].tolist())
                           * math.hypot(*key[b, s].tolist()))
                assert math.isclose(dot(query, key)[b, t, s].item(), product,
                                    rel_tol=1e-9)
                assert math.isclose(cosine(query, key)[b, t, s].item(),
                                    product / lengths, rel_tol=1e-9)


def test_cosine_equals_torch_and_forgets_length():
    query, key = draw(T, K), draw(S, K)
    torch.testing.assert_close(cosine(query, key),
                               F.cosine_similarity(query[:, None], key, dim=-1))
    torch.testing.assert_close(cosine(3 * query, 0.1 * key), cosine(query, key))


def test_cosine_of_a_zero_vector_is_zero_with_a_finite_gradient():
    key = torch.zeros(S, K, requires_grad=True)
    scores = cosine(draw(T, K).float(), key)
    assert scores.count_nonzero() == 0
    scores.sum().backward()
    assert key.grad.isfinite().all()


def by_loops(query, key, value, temperature):
    """One lookup at a time, one key at a time, in plain Python numbers."""
    answers = []
    for q in query.tolist():
        powers = []
        for k in key.tolist():
            lengths = math.hypot(*q) * math.hypot(*k)
            powers.append(math.exp(sum(x * y for x, y in zip(q, k)) / lengths
                                   / temperature))
        answers.append([sum(power * row[d]
                            for power, row in zip(powers, value.tolist())) / sum(powers)
                        for d in range(value.shape[1])])
    return torch.tensor(answers, dtype=torch.float64)


def test_lookup_equals_loops():
    query, key, value = draw(T, K), draw(S, K), draw(S, D)
    answers, weights = lookup(query, key, value, temperature=0.3)
    torch.testing.assert_close(answers, by_loops(query, key, value, 0.3))
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(T, dtype=torch.float64))
    assert (weights > 0).all()


def test_lookup_equals_scaled_dot_product_attention_values_and_gradients():
    inputs = [draw(B, T, K), draw(B, S, K), draw(B, S, D)]
    ours, theirs = ([tensor.clone().requires_grad_() for tensor in inputs]
                    for _ in range(2))
    left, _ = lookup(*ours, score=dot, temperature=K ** 0.5)
    right = F.scaled_dot_product_attention(*theirs)
    torch.testing.assert_close(left, right, rtol=0, atol=1e-12)
    left.square().sum().backward()
    right.square().sum().backward()
    for mine, yours in zip(ours, theirs):
        torch.testing.assert_close(mine.grad, yours.grad, rtol=0, atol=1e-12)


def test_one_lookup_of_a_batch_equals_the_lookup_alone():
    query, key, value = draw(B, T, K), draw(B, S, K), draw(B, S, D)
    together, _ = lookup(query, key, value)
    for b in range(B):
        alone, _ = lookup(query[b, 2:3], key[b], value[b])
        torch.testing.assert_close(together[b, 2:3], alone)


def test_the_order_of_the_entries_does_not_matter():
    query, key, value = draw(T, K), draw(S, K), draw(S, D)
    order = torch.tensor([3, 0, 6, 1, 5, 2, 4])
    answers, weights = lookup(query, key, value)
    shuffled, moved = lookup(query, key[order], value[order])
    torch.testing.assert_close(shuffled, answers)
    torch.testing.assert_close(moved, weights[:, order])


def test_temperature_leads_from_the_nearest_key_to_the_mean():
    key, value = draw(S, K), draw(S, D)
    cold, _ = lookup(key, key, value, temperature=1e-4)
    torch.testing.assert_close(cold, value, rtol=0, atol=0)
    hot, _ = lookup(key, key, value, temperature=1e9)
    torch.testing.assert_close(hot, value.mean(dim=0).expand(S, D))


@pytest.mark.parametrize("temperature", [0, 0.0, -1.0, float("nan")])
def test_temperature_must_be_above_zero(temperature):
    with pytest.raises(ValueError, match="temperature must be above 0; got"):
        lookup(draw(T, K), draw(S, K), draw(S, D), temperature=temperature)


def test_lookup_takes_any_score():
    table = torch.tensor([[0.1, 0.9, 0.7]], dtype=torch.float64)
    value = torch.tensor([[9.0], [2.0], [3.0]], dtype=torch.float64)
    softmaxed, _ = lookup(None, None, value, score=lambda query, key: table)
    shares, _ = lookup(None, None, value, score=lambda query, key: table.log())
    assert f"{softmaxed.item():.3f}" == "3.748"
    assert math.isclose(shares.item(), 48 / 17)
