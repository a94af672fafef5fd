"""layers: positions against the paper's formula and complex numbers, layer norm against
torch's, half precision."""

import math

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.layers import (
    Dropout, FeedForward, LayerNorm, LearnedPositions, angles, rotate, sinusoids)

few = settings(max_examples=30, deadline=None)
B, T, D = 2, 5, 12
shapes = st.tuples(*(st.integers(1, most) for most in (3, 6, 13)))    # B, T, D
chances = st.integers(0, 10_000)
both_types = pytest.mark.parametrize("dtype, close",
                                     [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])
halves = pytest.mark.parametrize("dtype, precision",
                                 [(torch.float16, 2 ** -10), (torch.bfloat16, 2 ** -7)],
                                 ids=["float16", "bfloat16"])
LARGE = 300.0    # its square is more than a float16 can hold


# Positions

def code_by_formula(position, width):
    """PE(pos, 2i) = sin(pos / 10000^(2i / d)), PE(pos, 2i + 1) = cos of the same."""
    code = []
    for i in range(width // 2):
        angle = position / 10000 ** (2 * i / width)
        code += [math.sin(angle), math.cos(angle)]
    return code


@few
@example(width=4, first=0, size=3)
@given(st.integers(1, 20).map(lambda pairs: 2 * pairs), st.integers(0, 500),
       st.integers(1, 6))
def test_sinusoids_equal_a_loop_over_the_papers_formula(width, first, size):
    wanted = torch.tensor([code_by_formula(p, width)
                           for p in range(first, first + size)], dtype=torch.float64)
    positions = torch.arange(first, first + size)
    torch.testing.assert_close(sinusoids(positions.double(), width), wanted, rtol=0,
                               atol=1e-10)
    # a float32 keeps seven digits of an angle, and the angle of position 500 is up to
    # 500
    torch.testing.assert_close(sinusoids(positions, width).double(), wanted, rtol=0,
                               atol=1e-6 + 1e-6 * (first + size))


def test_the_first_codes_of_width_four():
    assert sinusoids(torch.arange(2), 4)[0].tolist() == [0, 1, 0, 1]
    torch.testing.assert_close(sinusoids(torch.arange(2), 4)[1],
                               torch.tensor([0.8415, 0.5403, 0.0100, 1.0000]),
                               rtol=0, atol=1e-4)


def test_angles_grow_by_one_in_the_first_pair_and_ever_slower_after_it():
    table = angles(torch.arange(5), 8)
    assert table.shape == (5, 4) and table[:, 0].tolist() == [0, 1, 2, 3, 4]
    torch.testing.assert_close(table[1], torch.tensor([1, 0.1, 0.01, 0.001]))


@pytest.mark.parametrize("width", [1, 7])
def test_an_odd_width_is_refused_in_one_sentence(width):
    sentence = ("angles come in pairs of sine and cosine: width must be even; got "
                f"{width}")
    for refused in (lambda: angles(torch.arange(3), width),
                    lambda: sinusoids(torch.arange(3), width),
                    lambda: rotate(torch.ones(2, 3, width), torch.arange(3))):
        with pytest.raises(ValueError) as refusal:
            refused()
        assert str(refusal.value) == sentence


def rotate_by_loop(x, positions):
    width = x.shape[-1]
    rows = []
    for row, position in zip(x, positions.tolist()):
        turned = []
        for i in range(width // 2):
            angle = position / 10000 ** (2 * i / width)
            a, b = row[2 * i], row[2 * i + 1]
            turned += [a * math.cos(angle) - b * math.sin(angle),
                       a * math.sin(angle) + b * math.cos(angle)]
        rows.append(torch.stack(turned))
    return torch.stack(rows)


def rotate_by_complex_numbers(x, positions):
    width = x.shape[-1]
    speeds = 10000 ** (-torch.arange(0, width, 2, dtype=x.dtype) / width)
    turns = torch.polar(torch.ones(len(positions), width // 2, dtype=x.dtype),
                        positions[:, None].to(x.dtype) * speeds)
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)))
                              * turns).flatten(-2)


@few
@example((T, 6), 3, 0)
@given(st.tuples(st.integers(1, 6), st.integers(1, 6)), st.integers(0, 50), chances)
def test_rotate_equals_a_loop_and_complex_multiplication(shape, first, seed):
    size, pairs = shape
    positions = torch.arange(first, first + size).double()
    row = draw(seed, size, 2 * pairs)
    apart = differences(lambda x: rotate(x, positions),
                        lambda x: rotate_by_loop(x, positions), [row])
    assert apart.max() <= 1e-10
    heads = draw(seed, B, 3, size, 2 * pairs)
    for dtype, close in ((torch.float64, 1e-10), (torch.float32, 1e-5)):
        apart = differences(lambda x: rotate(x, positions.to(dtype)),
                            lambda x: rotate_by_complex_numbers(x, positions.to(dtype)),
                            [heads.to(dtype)])
        assert apart.max() <= close * (1 + first)    # as far as the angles are rounded


def test_rotate_keeps_lengths_and_turns_no_first_word():
    x = draw(0, B, 3, T, 6)
    turned = rotate(x, torch.arange(T))
    torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
    assert torch.equal(turned[..., 0, :], x[..., 0, :])
    torch.testing.assert_close(rotate(turned, -torch.arange(T)), x)
    assert ((turned - x).abs().amax(dim=-1)[..., 1:] > 0.1).all()


def test_codes_have_the_type_of_floating_positions_and_are_float32_for_whole_ones():
    assert sinusoids(torch.arange(3), 4).dtype == torch.float32
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert sinusoids(torch.arange(3).to(dtype), 4).dtype == dtype


@halves
def test_rotate_keeps_a_narrow_type_and_is_rounded_once(dtype, precision):
    x = (LARGE * draw(1, B, 3, 40, 16).clamp(-1, 1)).to(dtype)
    positions = torch.arange(40)
    turned, wanted = rotate(x, positions), rotate(x.float(), positions)
    assert turned.dtype == dtype and turned.isfinite().all()
    torch.testing.assert_close(turned.float(), wanted, rtol=precision, atol=precision)


def test_learned_positions_are_a_table():
    torch.manual_seed(0)
    positions = LearnedPositions(7, D)
    codes = positions(torch.tensor([3, 3, 6]))
    assert torch.equal(codes, positions.table.weight[[3, 3, 6]])
    assert sum(part.numel() for part in positions.parameters()) == 7 * D
    codes[0].sum().backward()
    assert (positions.table.weight.grad.abs().sum(dim=-1).tolist()
            == [0, 0, 0, D, 0, 0, 0])
    with pytest.raises(IndexError):
        positions(torch.tensor([7]))


# Feed-forward

@few
@example((B, T, D), 0)
@given(shapes, chances)
def test_feed_forward_equals_a_loop_over_words(shape, seed):
    torch.manual_seed(seed)
    layer, x = FeedForward(shape[-1], 9).double(), draw(seed, *shape)
    W, b, U, c = layer.parameters()

    def loop(x):
        rows = [U @ (W @ word + b).clamp_min(0) + c for sentence in x
                for word in sentence]
        return torch.stack(rows).reshape(x.shape)

    assert differences(layer, loop, [x]).max() <= 1e-10


def test_feed_forward_is_not_one_matrix():
    layer, x = FeedForward(D, 24).double(), draw(0, B, T, D)
    assert ((layer(x) + layer(-x) - 2 * layer(torch.zeros_like(x))).abs()
            .max() > 0.01)


def test_feed_forward_counts_its_weights():
    assert (sum(part.numel() for part in FeedForward(D, 40).parameters())
            == D * 40 + 40 + 40 * D + D)


# Layer norm

def make_norm(width, dtype, eps=1e-5):
    norm = LayerNorm(width, eps)
    with torch.no_grad():
        norm.weight.copy_(draw(3, width))
        norm.bias.copy_(draw(4, width))
    return norm.to(dtype)


@both_types
def test_layer_norm_equals_torchs(dtype, close):
    # the norm of two equal numbers is too steep for float32
    least = 1 if dtype == torch.float64 else 4
    shapes = st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(least, 13))

    @settings(max_examples=30, deadline=None, derandomize=True)
    @example((B, T, D), 1e-5, 0)
    @given(shapes, st.sampled_from([1e-5, 0.1]), chances)
    def check(shape, eps, seed):
        ours, theirs = (make_norm(shape[-1], dtype, eps),
                        nn.LayerNorm(shape[-1], eps, dtype=dtype))
        x = 3 * draw(seed, *shape, dtype=dtype) + 1
        assert differences(ours, theirs, [x], ours, theirs).max() <= close
    check()


def test_layer_norm_begins_with_mean_zero_and_variance_one_for_each_word():
    x = 3 * draw(0, B, T, D) + 5
    normal = LayerNorm(D).double()(x)
    torch.testing.assert_close(normal.mean(dim=-1), torch.zeros(B, T).double(), rtol=0,
                               atol=1e-12)
    torch.testing.assert_close(normal.var(dim=-1, correction=0),
                               torch.ones(B, T).double(), rtol=0, atol=1e-5)
    changed = x.clone()
    changed[:, 1] += draw(1, B, D)
    again = LayerNorm(D).double()(changed)
    assert (torch.equal(again[:, 0], normal[:, 0])
            and (again[:, 1] - normal[:, 1]).abs().max() > 0.1)


def test_a_word_of_equal_numbers_gives_the_bias_and_a_finite_gradient():
    norm = make_norm(D, torch.float32)
    x = torch.full((1, D), 7.0, requires_grad=True)
    assert torch.equal(norm(x)[0], norm.bias)
    norm(x).sum().backward()
    assert x.grad.isfinite().all()


@halves
@pytest.mark.parametrize("size", [1.0, LARGE])
def test_layer_norm_survives_large_numbers_in_half_precision(size, dtype, precision):
    ours = make_norm(D, torch.float32)
    x = (size * draw(5, B, T, D).clamp(-1, 1)).to(dtype)
    x[0, 0], x[0, 1, ::2], x[0, 1, 1::2] = size, size, -size
    ours = ours.to(dtype)
    wanted = make_norm(D, torch.float32)(x.float())
    x.requires_grad_()
    normal = ours(x)
    assert normal.dtype == dtype
    torch.testing.assert_close(normal.float(), wanted, rtol=4 * precision,
                               atol=4 * precision)
    (normal.float() * draw(6, B, T, D, dtype=torch.float32)).sum().backward()
    assert all(part.grad.isfinite().all() for part in (x, *ours.parameters()))


# Dropout

@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_dropout_leaves_out_a_share_p_of_all_numbers_independently_and_divides_the_rest(
        p):
    torch.manual_seed(0)
    count, ones = 400_000, torch.ones(1000, 400, dtype=torch.float64)
    out = Dropout(p)(ones)
    assert out.unique().tolist() == pytest.approx([0, 1 / (1 - p)], abs=1e-12)
    gone = (out == 0).double().flatten()
    assert abs(gone.mean() - p) < 4 * (p * (1 - p) / count) ** 0.5
    # neighbours, among them the four of one draw, say nothing of each other; nor do two
    # calls
    for step in (1, 2, 3, 4, 5):
        both = (gone[step:] * gone[:-step]).mean()
        assert abs(both - p * p) < 5 * (p * p * (1 - p * p) / count) ** 0.5
    again = (Dropout(p)(ones) == 0).double().flatten()
    assert abs((gone * again).mean() - p * p) < 5 * (p * p * (1 - p * p) / count) ** 0.5
    for place in range(4):
        assert abs(gone[place::4].mean() - p) < 4 * (4 * p * (1 - p) / count) ** 0.5


def test_dropout_passes_gradients_where_it_passes_numbers():
    torch.manual_seed(0)
    x = draw(0, B, T, D).requires_grad_()
    out = Dropout(0.5)(x)
    gradient, = torch.autograd.grad(out.sum(), x)
    torch.testing.assert_close(out, x * gradient)
    assert set(gradient.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("p", [0.0, 1e-6, 0.999999, 1.0])
def test_dropout_of_nothing_and_of_all(p):
    x = draw(0, B, T, D)
    torch.testing.assert_close(Dropout(p)(x), round(1 - p) * x, atol=1e-4,
                               rtol=1e-4)
    assert torch.equal(Dropout(p).eval()(x), x)


def test_dropout_of_odd_sizes_and_kinds_and_what_it_refuses():
    for shape in [(), (1,), (3,), (0, 4), (2, 5, 7)]:
        assert Dropout(0.5)(torch.ones(shape)).shape == shape
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        assert Dropout(0.1)(torch.ones(5, 3, dtype=dtype)).dtype == dtype
    turned = torch.ones(D, T).T
    assert Dropout(0.5)(turned).shape == (T, D)
    with pytest.raises(ValueError,
                       match="dropout probability has to be between 0 and 1"):
        Dropout(1.5)


def test_dropout_acts_in_training_only():
    torch.manual_seed(0)
    x, ones = draw(0, B, T, D), torch.ones(B, T, D)
    forward, dropout = FeedForward(D, 24, dropout=0.5).double(), Dropout(0.5)
    assert not torch.equal(forward(x), forward(x))
    # half of the numbers are left out, the others doubled
    assert set(dropout(ones).flatten().tolist()) == {0.0, 2.0}
    forward.eval(), dropout.eval()
    assert torch.equal(forward(x), forward(x))
    assert torch.equal(dropout(ones), ones)


def test_dropout_of_feed_forward_is_behind_the_relu_and_not_behind_the_answer():
    torch.manual_seed(0)
    forward = FeedForward(D, 24, dropout=1.0)
    assert torch.equal(forward(draw(0, B, T, D, dtype=torch.float32)),
                       forward.down.bias.expand(B, T, D))


def test_every_tensor_is_made_where_the_words_are():
    x, positions = torch.ones(B, T, D, device="meta"), torch.arange(T, device="meta")
    for layer in (LayerNorm(D), FeedForward(D, 24)):
        assert layer.to("meta")(x).is_meta
    assert LearnedPositions(7, D).to("meta")(positions).shape == (T, D)
