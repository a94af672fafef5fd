"""sampling: the filters beside loops and the library's formulas, and what is drawn."""

import math

import pytest
import torch
from copied import draw

from softdict.sampling import keep_min_p, keep_top_k, keep_top_p, next_word

V = 11


def loop_top_k(logits, k):
    kept = sorted(logits, reverse=True)[:k]
    return [score if score >= kept[-1] else -math.inf for score in logits]


def loop_top_p(logits, p):
    total = sum(map(math.exp, logits))
    kept, share = set(), 0.0
    for place in sorted(range(len(logits)), key=lambda n: -logits[n]):
        if share >= p and p < 1:
            break
        kept.add(place)
        share += math.exp(logits[place]) / total
    return [score if n in kept else -math.inf for n, score in enumerate(logits)]


def loop_min_p(logits, ratio):
    shares = [math.exp(score) for score in logits]
    shares = [share / sum(shares) for share in shares]
    return [score if share >= ratio * max(shares) else -math.inf
            for score, share in zip(logits, shares)]


FILTERS = {"top_k": (keep_top_k, loop_top_k, (1, 2, 5, V, 99)),
           "top_p": (keep_top_p, loop_top_p, (1e-9, 0.3, 0.6, 0.95, 1.0)),
           "min_p": (keep_min_p, loop_min_p, (0.0, 0.05, 0.1, 0.4, 0.9, 1.0))}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_keeps_what_a_loop_keeps(name):
    keep, loop, limits = FILTERS[name]
    for seed in range(20):
        logits = 2 * draw(seed, 3, V)
        for limit in limits:
            wanted = [loop(row, limit) for row in logits.tolist()]
            assert torch.equal(keep(logits, limit),
                               torch.tensor(wanted, dtype=torch.float64))


def test_top_k_and_top_p_keep_the_likeliest():
    shares = torch.tensor([[0.15, 0.5, 0.05, 0.3], [0.25, 0.25, 0.25, 0.25]])
    kept = keep_top_k(shares.log(), 2).exp()
    assert kept[0].tolist() == pytest.approx([0, 0.5, 0, 0.3])
    for p, wanted in ((0.1, 1), (0.49, 1), (0.51, 2), (0.79, 2), (0.81, 3), (0.96, 4),
                      (1.0, 4)):
        assert keep_top_p(shares.double().log(), p)[0].isfinite().sum() == wanted, p
    many = 4 * torch.randn(1, 30_000)
    # although the rounded sum of the shares reaches 1 early
    assert torch.equal(keep_top_p(many, 1.0), many)
    assert (torch.equal(keep_top_k(shares.log(), 9), shares.log())
            and torch.equal(keep_top_p(shares.log(), 1.0), shares.log()))


def test_min_p_asks_for_a_share_of_the_largest():
    shares = torch.tensor([0.15, 0.5, 0.05, 0.3])
    for ratio, wanted in ((0, 4), (0.05, 4), (0.2, 3), (0.5, 2), (0.7, 1), (1, 1)):
        assert keep_min_p(shares.log(), ratio).isfinite().sum() == wanted, ratio
    equal = torch.full((6,), 1 / 6).log()
    assert keep_min_p(equal, 1.0).isfinite().all()
    # sure: few stay; not sure: many
    assert keep_min_p(10 * shares.log(), 0.1).isfinite().sum() == 1


def test_filters_equal_the_librarys():
    """Each alone, and behind a temperature in the order in which the library has them.
    """
    theirs = pytest.importorskip(
        "transformers", reason="the library transformers, against which the filters "
        "are proved, is not installed: pip install transformers")
    logits = 3 * draw(5, 40, V)
    for name, kind in (("top_k", "TopK"), ("top_p", "TopP"), ("min_p", "MinP")):
        keep, _, limits = FILTERS[name]
        warper = getattr(theirs, f"{kind}LogitsWarper")
        for limit in limits[1:]:
            assert torch.equal(keep(logits, limit), warper(limit)(None, logits)), name
    options = {"temperature": 1.7, "top_k": 8, "top_p": 0.9, "min_p": 0.1}
    config = theirs.GenerationConfig(do_sample=True, **options)
    config._eos_token_tensor = None
    model = theirs.GPT2LMHeadModel(theirs.GPT2Config(
        vocab_size=V, n_embd=4, n_head=1, n_layer=1))
    warped = model._get_logits_processor(config)(torch.zeros(40, 1).long(), logits)
    rng = torch.Generator().manual_seed(4)
    wanted = warped.softmax(dim=-1).multinomial(1, generator=rng)[:, 0]
    ids = next_word(logits, **options, rng=torch.Generator().manual_seed(4))
    assert torch.equal(ids, wanted)


WAYS = [{}, {"temperature": 0.5}, {"top_k": 3}, {"top_p": 0.6}, {"min_p": 0.3},
        {"temperature": 2.0, "top_k": 5, "top_p": 0.8, "min_p": 0.5}]


@pytest.mark.parametrize("options", WAYS, ids=str)
def test_words_are_drawn_by_their_probability(options):
    scores = (draw(1, V) / options.get("temperature", 1)).tolist()
    for name in ("top_k", "top_p", "min_p"):
        if name in options:
            scores = FILTERS[name][1](scores, options[name])
    rng = torch.Generator().manual_seed(3)
    ids = next_word(draw(1, 1, V).expand(40_000, V), **options, rng=rng)
    found = ids.bincount(minlength=V) / len(ids)
    torch.testing.assert_close(found, torch.tensor(scores).softmax(dim=-1),
                               rtol=0, atol=0.01)


def test_the_filters_read_what_the_temperature_has_divided():
    """At temperature 2 a quarter of the largest share has become a half of it."""
    logits = torch.tensor([0.4, 0.2, 0.1, 0.3]).log().expand(2000, 4)
    rng = torch.Generator().manual_seed(0)
    for temperature, wanted in ((1.0, {0, 3}), (2.0, {0, 1, 3}), (4.0, {0, 1, 2, 3})):
        ids = next_word(logits, temperature, min_p=0.7, rng=rng)
        assert set(ids.tolist()) == wanted


def test_temperature_0_takes_the_likeliest_and_draws_nothing():
    logits, rng = draw(2, 50, V), torch.Generator().manual_seed(1)
    state = rng.get_state()
    for temperature in (0, 0.0, 1e-300, 1e-9):
        for options in ({}, {"top_k": 2, "top_p": 0.5, "min_p": 0.5}):
            assert torch.equal(next_word(logits, temperature, **options, rng=rng),
                               logits.argmax(dim=-1))
    assert torch.equal(state, rng.get_state())
    for one in ({"top_k": 1}, {"top_p": 1e-9}, {"min_p": 1.0}):
        assert torch.equal(next_word(logits, **one), logits.argmax(dim=-1))


def test_words_with_minus_infinity_are_never_drawn():
    logits = draw(3, 500, V)
    logits[:, [0, 4]] = -math.inf
    for options in WAYS:
        assert not set(next_word(logits, **options).tolist()) & {0, 4}


@pytest.mark.parametrize("options, message", [
    ({"temperature": -1}, "temperature must be 0 or more, and finite; got -1"),
    ({"temperature": math.nan}, "0 or more, and finite; got nan"),
    ({"temperature": math.inf}, "0 or more, and finite; got inf"),
    ({"top_k": 0}, "top-k keeps at least one word; got 0"),
    ({"top_p": 0.0}, "top-p is a share above 0 and at most 1; got 0.0"),
    ({"top_p": 1.1}, "top-p is a share above 0 and at most 1; got 1.1"),
    ({"top_p": math.nan}, "top-p is a share above 0 and at most 1; got nan"),
    ({"min_p": -0.1}, "min-p is a ratio from 0 to 1; got -0.1"),
    ({"min_p": 1.5}, "min-p is a ratio from 0 to 1; got 1.5"),
    ({"min_p": math.nan}, "min-p is a ratio from 0 to 1; got nan")], ids=str)
def test_what_no_word_can_be_drawn_by_is_refused(options, message):
    for temperature in (1.0, 0):    # also where nothing is drawn
        with pytest.raises(ValueError, match=message) as refusal:
            next_word(draw(1, 2, V), **{"temperature": temperature, **options})
        assert "\n" not in str(refusal.value)
