"""training: the loss and its pads, the schedule, clipping, and what stops a training."""

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.batches import epoch_batches, make_batch
from softdict.checkpoint import load
from softdict.seq2seq import Decoder, Encoder, Seq2Seq
from softdict.training import (
    Settings, Training, batch_loss, learning_rate, paper_rate, rate_at, smoothed_loss, token_loss, train, train_epoch,
    update)
from softdict.transformer import Transformer
from softdict.vocab import EOS, PAD

B, T, V = 2, 5, 11
PAIRS = [([4 + (n * k) % 7 for k in range(1, 2 + n % 4)], [4 + (n + k) % 5 for k in range(1, 2 + n % 3)])
         for n in range(20)]
SHORT = Settings(updates=9, batch_size=6, every=3, teacher_forcing=0.5)    # 4 batches an epoch


def make_training(settings=SHORT, vocabulary="words", width=12):
    torch.manual_seed(5)
    model = Seq2Seq(Encoder(11, 5, width), Decoder(10, 5, width))
    return Training(model, settings, vocabulary)


def weights(training):
    return torch.cat([parameter.detach().flatten() for parameter in training.model.parameters()])


def loss_by_loop(logits, target):
    """-log p of each real word, one at a time, and their mean."""
    losses = []
    for scores, words in zip(logits.tolist(), target.tolist()):
        for row, word in zip(scores, words):
            if word != PAD:
                losses.append(math.log(sum(math.exp(score) for score in row)) - row[word])
    return sum(losses) / len(losses)


def draw_logits_and_target(lengths):
    chance = torch.Generator().manual_seed(sum(lengths))
    logits = torch.randn(len(lengths), max(lengths), V, dtype=torch.float64, generator=chance)
    target = torch.randint(4, V, (len(lengths), max(lengths)), generator=chance)
    for row, length in zip(target, lengths):
        row[length - 1:] = torch.tensor([EOS] + [PAD] * (max(lengths) - length))
    return logits, target


lists_of_lengths = st.lists(st.integers(1, 6), min_size=1, max_size=4)
few = settings(max_examples=30, deadline=None)


@few
@given(lists_of_lengths)
def test_loss_equals_a_loop_over_real_words(lengths):
    logits, target = draw_logits_and_target(lengths)
    assert math.isclose(token_loss(logits, target).item(), loss_by_loop(logits, target), rel_tol=1e-9)


@few
@given(lists_of_lengths, st.integers(1, 3))
def test_more_pads_move_neither_loss_nor_gradient(lengths, more):
    logits, target = draw_logits_and_target(lengths)
    logits.requires_grad_()
    longer = F.pad(logits, (0, 0, 0, more), value=7.0)
    loss, padded = token_loss(logits, target), token_loss(longer, F.pad(target, (0, more), value=PAD))
    torch.testing.assert_close(loss, padded)
    [plain], [behind_pads] = (torch.autograd.grad(value, logits) for value in (loss, padded))
    torch.testing.assert_close(plain, behind_pads)


def test_wrong_losses_are_told_apart():
    logits, target = draw_logits_and_target([2, 5])
    right = token_loss(logits, target).item()
    flat = F.cross_entropy(logits.flatten(0, 1), target.flatten())
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum")
    of_means = sum(token_loss(logits[row:row + 1], target[row:row + 1]) for row in range(2)) / 2
    wrong = {"pads counted": flat, "all positions": total / target.numel(), "by sentences": total / 2,
             "mean of means": of_means}
    for name, value in wrong.items():
        assert abs(value.item() - right) > 0.01, name


def test_rows_of_pads_have_no_gradient():
    logits, target = draw_logits_and_target([2, 5])
    logits.requires_grad_()
    token_loss(logits, target).backward()
    assert logits.grad[target == PAD].count_nonzero() == 0
    assert (logits.grad[target != PAD].abs().amax(dim=-1) > 0).all()


def test_an_unshifted_target_would_be_learned_by_copying():
    """What the decoder reads at t is not what it must say at t; a model of the identity scores badly."""
    batch = make_batch([([4, 5], [6, 7, 8])])
    copying = 50.0 * F.one_hot(batch.target_in, V)
    assert token_loss(copying, batch.target_in) < 1e-6 < 10 < token_loss(copying, batch.target_out)


def test_rate_is_constant_then_falls_in_the_last_fifth():
    rates = [learning_rate(step, 100, 2.0) for step in range(100)]
    assert rates[:81] == [2.0] * 81
    assert all(a > b for a, b in zip(rates[80:], rates[81:]))
    assert math.isclose(rates[90], 1.0) and math.isclose(rates[99], 0.1)


@few
@given(st.integers(1, 3000))
def test_rate_is_never_zero_or_above_the_peak(updates):
    assert all(0 < learning_rate(step, updates, 0.5) <= 0.5 for step in (0, updates // 2, updates - 1))


def test_an_update_equals_adam_by_hand():
    ours, theirs = make_training(replace(SHORT, teacher_forcing=1.0, clip=0.01)), make_training().model
    [batch, *_] = epoch_batches(PAIRS, 6, 0, 0)
    record = update(ours, batch)
    loss = token_loss(theirs(batch.source, batch.source_lengths, batch.target_in), batch.target_out)
    loss.backward()
    norm = math.sqrt(sum(parameter.grad.square().sum().item() for parameter in theirs.parameters()))
    assert norm > 0.01
    for mine, yours in zip(ours.model.parameters(), theirs.parameters()):
        gradient = yours.grad * 0.01 / norm
        torch.testing.assert_close(mine, yours - 4e-3 * gradient / (gradient.abs() + 1e-8), rtol=1e-4, atol=1e-7)
    assert math.isclose(record["loss"], loss.item(), rel_tol=1e-6)
    assert math.isclose(record["norm"], norm, rel_tol=1e-4)
    assert record["rate"] == 4e-3


def step_length(half, unscale=True):
    """How far one step of plain gradient descent with rate 1 goes when gradients are clipped at 0.01."""
    run = make_training(replace(SHORT, precision="float16" if half else "float32", clip=0.01, peak_rate=1.0))
    run.optimizer = torch.optim.SGD(run.model.parameters(), lr=1.0)
    if not unscale:    # left out before clipping, the scaler does it by itself inside its step
        run.scaler.unscale_ = lambda optimizer: delattr(run.scaler, "unscale_")
    before = weights(run)
    update(run, make_batch(PAIRS[:6]))
    return (weights(run) - before).norm().item()


def test_clipping_under_mixed_precision_clips_the_true_gradient():
    assert math.isclose(step_length(half=False), 0.01, rel_tol=1e-3)
    assert math.isclose(step_length(half=True), 0.01, rel_tol=1e-3)
    assert step_length(half=True, unscale=False) < 1e-5    # the scaled gradient was clipped: the step all but vanishes


def test_training_learns():
    pairs = [([a, b], [b, a]) for a in range(4, 10) for b in range(4, 10)]
    run = make_training(Settings(updates=150, batch_size=12, peak_rate=1e-2), width=24)
    history = train(run, pairs)
    assert len(history) == 150
    assert history[-1]["loss"] < 0.1 < 2 < history[0]["loss"]


def test_an_epoch_is_one_update_a_batch_and_training_stops_at_the_last_update():
    run = make_training()
    train_epoch(run, PAIRS)
    assert len(run.history) == 4
    train(run, PAIRS)
    train_epoch(run, PAIRS)
    assert len(run.history) == 9


def test_no_pairs_is_one_clear_sentence():
    with pytest.raises(ValueError, match="there are no pairs to train on"):
        train(make_training(), [])


def test_evaluation_is_called_without_gradients_or_dropout_and_joins_the_history():
    calls = []

    def evaluate(model):
        calls.append((model.training, torch.is_grad_enabled()))
        return {"exact": 0.25}

    run = make_training()
    history = train(run, PAIRS, evaluate)
    assert calls == [(False, False)] * 3
    assert [n for n, record in enumerate(history, start=1) if record.get("exact") == 0.25] == [3, 6, 9]
    assert run.model.training


def test_evaluation_does_not_move_the_training():
    disturbed, plain = make_training(), make_training()
    train(disturbed, PAIRS, lambda model: {"noise": torch.rand(3).sum().item()})
    train(plain, PAIRS)
    assert torch.equal(weights(disturbed), weights(plain))


def test_a_loss_that_is_not_a_number_stops_and_the_last_checkpoint_is_good(tmp_path):
    path, whole = tmp_path / "a.safetensors", make_training()
    train(whole, PAIRS)

    def spoil(model):
        if len(run.history) == 6:
            raise AssertionError("never reached: the training stops at update 5")
        return {}

    run = make_training()
    hook = run.model.generator.register_forward_hook(
        lambda module, inputs, output: output * float("nan") if len(run.history) == 4 else output)
    with pytest.raises(ArithmeticError, match="update 5 has the loss nan") as stop:
        train(run, PAIRS, spoil, path)
    assert "\n" not in str(stop.value)
    hook.remove()
    resumed = make_training()
    load(resumed, path)
    assert len(resumed.history) == 3 and weights(resumed).isfinite().all()
    train(resumed, PAIRS, path=path)
    assert torch.equal(weights(resumed), weights(whole))


def test_an_endless_gradient_stops_before_it_reaches_the_weights():
    run = make_training()
    run.model.generator.weight.register_hook(lambda gradient: gradient * float("inf"))
    with pytest.raises(ArithmeticError, match="the gradient norm"):
        update(run, make_batch(PAIRS[:6]))
    assert torch.equal(weights(run), weights(make_training()))


# Smoothing, schedules, parts, precision

@few
@given(lists_of_lengths, st.sampled_from([0.0, 0.1, 0.9]))
def test_smoothed_loss_equals_the_cross_entropy_of_a_target_spread_by_hand(lengths, smoothing):
    logits, target = draw_logits_and_target(lengths)
    spread = torch.full_like(logits, smoothing / (V - 1))
    spread[..., PAD] = 0.0    # nobody should ever say a pad
    spread.scatter_add_(-1, target[..., None], torch.full_like(logits[..., :1], 1 - smoothing))
    wanted = -(spread * logits.log_softmax(dim=-1)).sum(dim=-1)[target != PAD].mean()
    torch.testing.assert_close(smoothed_loss(logits, target, smoothing), wanted, rtol=0, atol=1e-10)
    if smoothing == 0:
        torch.testing.assert_close(wanted, token_loss(logits, target), rtol=0, atol=1e-10)


def test_the_lowest_smoothed_loss_is_the_entropy_of_the_spread_target():
    logits = torch.full((1, V), 0.1 / (V - 1)).log()
    logits[0, 5], logits[0, PAD] = math.log(0.9 + 0.1 / (V - 1)), -40.0
    shares = [0.9 + 0.01] + [0.01] * (V - 2)
    entropy = -sum(share * math.log(share) for share in shares)
    assert smoothed_loss(logits, torch.tensor([5]), 0.1).item() == pytest.approx(entropy, abs=1e-5)


def test_warm_up_climbs_in_a_straight_line():
    rates = [learning_rate(step, 100, 2.0, warmup=10) for step in range(100)]
    assert rates[:10] == pytest.approx([0.2 * n for n in range(1, 11)])
    assert rates[10:81] == [2.0] * 71 and rates[90] < 2.0
    assert rate_at(3, Settings(updates=100, peak_rate=2.0, warmup=10)) == pytest.approx(0.8)


def test_the_papers_schedule():
    peak = (512 * 4000) ** -0.5
    assert peak == pytest.approx(6.99e-4, rel=1e-3)
    for step in (0, 10, 3999, 4000, 20_000):
        formula = 512 ** -0.5 * min((step + 1) ** -0.5, (step + 1) * 4000 ** -1.5)
        assert paper_rate(step, 4000, peak) == pytest.approx(formula)
    assert rate_at(20, Settings(schedule="root", warmup=40, peak_rate=1.0)) == paper_rate(20, 40, 1.0)


def transformer_training(**changes):
    torch.manual_seed(5)
    model = Transformer(11, 10, 12, 3, 1, 20, 0.0)
    return Training(model, replace(SHORT, teacher_forcing=1.0, **changes), "words")


@pytest.mark.parametrize("parts", [2, 3, 6, 100])
def test_a_batch_in_parts_is_the_same_update(parts):
    whole, split = transformer_training(), transformer_training(accumulate=parts)
    for run in (whole, split):    # Adam's first step is as long for the smallest gradient as for the largest
        run.optimizer = torch.optim.SGD(run.model.parameters(), lr=1.0)
    records = [update(run, make_batch(PAIRS[:6])) for run in (whole, split)]
    assert records[0]["loss"] == pytest.approx(records[1]["loss"], rel=1e-5)
    assert records[0]["norm"] == pytest.approx(records[1]["norm"], rel=1e-4)
    torch.testing.assert_close(weights(split), weights(whole), rtol=0, atol=1e-5)


def test_the_loss_of_a_batch_is_that_of_its_logits_pads_left_out():
    run, batch = transformer_training(), make_batch(PAIRS[:6])
    logits = run.model(batch.source, batch.source_lengths, batch.target_in)
    torch.testing.assert_close(batch_loss(run.model, batch, run.settings), token_loss(logits, batch.target_out))
    smooth = replace(run.settings, smoothing=0.1)
    torch.testing.assert_close(batch_loss(run.model, batch, smooth), smoothed_loss(logits, batch.target_out, 0.1))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_sixteen_bits_give_nearly_the_same_update(precision):
    full, half = (update(transformer_training(precision=kind), make_batch(PAIRS[:6]))
                  for kind in ("float32", precision))
    assert half["loss"] == pytest.approx(full["loss"], rel=0.02) and half["loss"] != full["loss"]
    assert half["norm"] == pytest.approx(full["norm"], rel=0.1)


def test_a_transformer_learns_its_pairs():
    pairs = [([a, b], [b, a]) for a in range(4, 10) for b in range(4, 10)]
    torch.manual_seed(0)
    run = Training(Transformer(10, 10, 24, 3, 1, 48, 0.0), Settings(updates=150, batch_size=12, peak_rate=5e-3))
    history = train(run, pairs)
    assert history[0]["loss"] > 2.0 and sum(record["loss"] for record in history[-10:]) / 10 < 0.1
