"""training: the loss and its pads, the schedule, clipping, and what stops a
training."""

import math
from dataclasses import replace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.batches import epoch_batches, make_batch
from softdict.saving.checkpoint import load, save, save_model
from softdict.seq2seq import Decoder, Encoder, ScheduledSampling, Seq2Seq
from softdict.training import (
    Settings, TrainingState, batch_loss, cosine_decay, cross_entropy, fit,
    inverse_sqrt, rate_at, smoothed_loss, token_loss, train, update, wsd)
from softdict.transformer import TransformerConfig, make_transformer
from softdict.vocab import EOS, PAD

B, T, V = 2, 5, 11
PAIRS = [([4 + (n * k) % 7 for k in range(1, 2 + n % 4)],
          [4 + (n + k) % 5 for k in range(1, 2 + n % 3)]) for n in range(20)]
# 4 batches an epoch
SHORT = Settings(updates=9, batch_size=6, interval=3)


def make_training(settings=SHORT, vocabulary="words", width=12, teacher_forcing=0.5):
    """A small training; its model draws, so that chance must come back too."""
    torch.manual_seed(5)
    model = ScheduledSampling(Encoder(11, 5, width), Decoder(10, 5, width),
                              teacher_forcing)
    return TrainingState(model, settings, vocabulary)


def make_transformer_training(**changes):
    torch.manual_seed(5)
    model = make_transformer(11, 10, TransformerConfig(12, 3, 1, 20, dropout=0.0))
    return TrainingState(model, replace(SHORT, **changes), "words")


def weights(training):
    return torch.cat([parameter.detach().flatten()
                      for parameter in training.model.parameters()])


def loss_by_loop(logits, target):
    """-log p of each real word, one at a time, and their mean."""
    losses = []
    for scores, words in zip(logits.tolist(), target.tolist()):
        for row, word in zip(scores, words):
            if word != PAD:
                losses.append(math.log(sum(math.exp(score) for score in row))
                              - row[word])
    return sum(losses) / len(losses)


def draw_logits_and_target(lengths):
    rng = torch.Generator().manual_seed(sum(lengths))
    logits = torch.randn(len(lengths), max(lengths), V, dtype=torch.float64,
                         generator=rng)
    target = torch.randint(4, V, (len(lengths), max(lengths)), generator=rng)
    for row, length in zip(target, lengths):
        row[length - 1:] = torch.tensor([EOS] + [PAD] * (max(lengths) - length))
    return logits, target


lists_of_lengths = st.lists(st.integers(1, 6), min_size=1, max_size=4)
few = settings(max_examples=30, deadline=None)


@few
@given(lists_of_lengths)
def test_loss_equals_a_loop_over_real_words(lengths):
    logits, target = draw_logits_and_target(lengths)
    assert math.isclose(token_loss(logits, target).item(), loss_by_loop(logits, target),
                        rel_tol=1e-9)


@few
@given(lists_of_lengths, st.integers(1, 3))
def test_more_pads_move_neither_loss_nor_gradient(lengths, more):
    logits, target = draw_logits_and_target(lengths)
    logits.requires_grad_()
    longer = F.pad(logits, (0, 0, 0, more), value=7.0)
    loss, padded = (token_loss(logits, target),
                    token_loss(longer, F.pad(target, (0, more), value=PAD)))
    torch.testing.assert_close(loss, padded)
    [plain], [behind_pads] = (torch.autograd.grad(value, logits)
                              for value in (loss, padded))
    torch.testing.assert_close(plain, behind_pads)


def test_wrong_losses_are_told_apart():
    logits, target = draw_logits_and_target([2, 5])
    right = token_loss(logits, target).item()
    flat = F.cross_entropy(logits.flatten(0, 1), target.flatten())
    total = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD,
                            reduction="sum")
    of_means = sum(token_loss(logits[row:row + 1], target[row:row + 1])
                   for row in range(2)) / 2
    wrong = {"pads counted": flat, "all positions": total / target.numel(),
             "by sentences": total / 2, "mean of means": of_means}
    for name, value in wrong.items():
        assert abs(value.item() - right) > 0.01, name


def test_rows_of_pads_have_no_gradient():
    logits, target = draw_logits_and_target([2, 5])
    logits.requires_grad_()
    token_loss(logits, target).backward()
    assert logits.grad[target == PAD].count_nonzero() == 0
    assert (logits.grad[target != PAD].abs().amax(dim=-1) > 0).all()


def test_an_unshifted_target_would_be_learned_by_copying():
    """What the decoder reads at t is not what it must say at t; a model of the identity
    scores badly."""
    batch = make_batch([([4, 5], [6, 7, 8])])
    copying = 50.0 * F.one_hot(batch.target_in, V)
    assert (token_loss(copying, batch.target_in) < 1e-6 < 10
            < token_loss(copying, batch.target_out))


def test_rate_is_constant_then_falls_in_the_last_fifth():
    rates = [wsd(step, 100, 2.0) for step in range(100)]
    assert rates[:81] == [2.0] * 81
    assert all(a > b for a, b in zip(rates[80:], rates[81:]))
    assert math.isclose(rates[90], 1.0) and math.isclose(rates[99], 0.1)


@few
@given(st.integers(1, 3000))
def test_rate_is_never_zero_or_above_the_peak(updates):
    assert all(0 < wsd(step, updates, 0.5) <= 0.5
               for step in (0, updates // 2, updates - 1))


def adam_by_hand(model, batches, settings, smoothing=0.0):
    """Updates as the paper of Adam writes them, clipped; returns loss and norm of each.

    Kingma and Ba 2015, algorithm 1
    """
    parameters, records = list(model.parameters()), []
    means = [torch.zeros_like(parameter) for parameter in parameters]
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    for n, batch in enumerate(batches, start=1):
        logits = model(batch.source, batch.source_lengths, batch.target_in)
        loss = smoothed_loss(logits, batch.target_out, smoothing)
        slopes = torch.autograd.grad(loss, parameters)
        norm = math.sqrt(sum(slope.square().sum().item() for slope in slopes))
        rate = wsd(n - 1, settings.updates, settings.peak_rate,
                   settings.warmup)
        for parameter, slope, mean, square in zip(parameters, slopes, means, squares):
            slope = slope * min(1.0, settings.clip / norm)
            mean.mul_(0.9).add_(slope, alpha=0.1)
            square.mul_(0.999).add_(slope ** 2, alpha=0.001)
            step = (square / (1 - 0.999 ** n)).sqrt() + 1e-8
            with torch.no_grad():
                parameter -= rate * mean / (1 - 0.9 ** n) / step
        records.append((loss.item(), norm))
    return records


@pytest.mark.parametrize("changes", [
    {}, {"clip": 0.05}, {"warmup": 4}, {"smoothing": 0.1}, {"micro_batches": 3}],
    ids=str)
def test_updates_equal_adam_by_hand(changes):
    """Several in a row: an old gradient that stays, weight decay, another rate or
    another loss would be seen."""
    settings = replace(SHORT, **changes)
    ours, theirs = (make_training(settings, teacher_forcing=1.0) for _ in range(2))
    theirs.model.double(), ours.model.double()
    batches = [batch for epoch in (0, 1, 2)
               for batch in epoch_batches(PAIRS, 6, 0, epoch)]
    for batch in batches[:settings.updates]:
        ours.history.append(update(ours, batch))
    wanted = adam_by_hand(theirs.model, batches[:settings.updates], settings,
                          settings.smoothing)
    for record, (loss, norm) in zip(ours.history, wanted, strict=True):
        # `batch_loss` computes the loss in float32
        assert record["loss"] == pytest.approx(loss, rel=1e-5)
        assert record["norm"] == pytest.approx(norm, rel=1e-4)
    if changes.get("clip"):
        assert all(norm > settings.clip for _, norm in wanted)
    torch.testing.assert_close(weights(ours), weights(theirs), rtol=0, atol=2e-5)


def test_every_group_of_parameters_gets_the_rate_times_its_factor():
    torch.manual_seed(5)
    model = make_training(teacher_forcing=1.0).model
    parts = model.encoder, model.decoder, model.generator
    own = [0.5, 0.05, 1.0]    # the peak is 0.5
    optimizer = torch.optim.SGD([{"params": list(part.parameters()), "lr": rate}
                                 for part, rate in zip(parts, own)])
    run = TrainingState(model, replace(SHORT, warmup=4, peak_rate=0.5), "words",
                        optimizer=optimizer)
    for step, batch in enumerate(epoch_batches(PAIRS, 6, 0, 0)):
        before = [torch.cat([w.detach().flatten().clone() for w in part.parameters()])
                  for part in parts]
        run.history.append(update(run, batch))
        rate = min(0.5, 0.125 * (step + 1))
        assert run.history[-1]["rate"] == rate
        assert [group["lr"] for group in optimizer.param_groups] == pytest.approx(
            [rate, rate / 10, rate * 2])
        # plain gradient descent: the step is the rate times the clipped gradient
        for part, old, factor in zip(parts, before, [1, 0.1, 2]):
            slope = torch.cat([w.grad.flatten() for w in part.parameters()])
            new = torch.cat([w.detach().flatten() for w in part.parameters()])
            torch.testing.assert_close(old - new, rate * factor * slope, rtol=1e-4,
                                       atol=1e-6)


def test_a_group_that_comes_later_has_a_factor_too():
    run = make_training(teacher_forcing=1.0)
    *some, last = run.model.parameters()
    run.optimizer = torch.optim.SGD(some, lr=SHORT.peak_rate)
    update(run, make_batch(PAIRS[:6]))
    run.optimizer.add_param_group({"params": [last], "lr": SHORT.peak_rate / 4})
    update(run, make_batch(PAIRS[:6]))
    assert [group["lr"] for group in run.optimizer.param_groups] == [
        SHORT.peak_rate, SHORT.peak_rate / 4]


def test_weights_that_the_optimizer_has_not_do_not_count_in_the_gradient():
    """Neither their gradients, nor those of earlier updates, which nobody empties."""
    model = make_training(teacher_forcing=1.0).model
    some = list(model.decoder.parameters())
    run = TrainingState(model, replace(SHORT, clip=0.01))
    run.optimizer = torch.optim.SGD(some, lr=SHORT.peak_rate)
    for batch in epoch_batches(PAIRS, 6, 0, 0)[:3]:
        old = [weight.detach().clone() for weight in some]
        record = update(run, batch)
        moved = torch.cat([(one - other).flatten() for one, other in zip(old, some)])
        assert moved.norm().item() == pytest.approx(0.01 * record["rate"], rel=1e-3)


def test_a_weight_that_the_model_has_not_is_refused_before_the_training():
    model, strange = make_training().model, torch.nn.Parameter(torch.zeros(3, 7))
    with pytest.raises(ValueError, match=r"the optimizer has a weight that the model "
                       r"has not, of the shape \[3, 7\]: no checkpoint would hold it"):
        TrainingState(model, SHORT, optimizer=torch.optim.SGD(
            [*model.parameters(), strange], lr=SHORT.peak_rate))


def test_a_weight_that_no_group_has_is_refused_before_the_training():
    """Torch's RNN calls its weights weight_ih_l0: a group by the ends of names lacks
    them."""
    model = make_training().model
    ends = [{"params": [part for name, part in model.named_parameters()
                        if name.endswith(end)]} for end in (".weight", ".bias")]
    with pytest.raises(ValueError, match="no group of the optimizer has encoder.*"
                       "weight_ih_l0, .*which would never learn; put them into one, or "
                       "freeze them by requires_grad_"):
        TrainingState(model, SHORT,
                      optimizer=torch.optim.AdamW(ends, lr=SHORT.peak_rate))
    for name, part in model.named_parameters():
        part.requires_grad_(name.endswith((".weight", ".bias")))
    TrainingState(model, SHORT, optimizer=torch.optim.AdamW(ends, lr=SHORT.peak_rate))


def step_length(half, unscale=True):
    """How far one step of plain gradient descent with rate 1 goes when gradients are
    clipped at 0.01."""
    model = make_training().model
    precision = "float16" if half else "float32"
    run = TrainingState(model, replace(SHORT, precision=precision, clip=0.01,
                                       peak_rate=1.0),
                        optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    # left out before clipping, the scaler does it by itself inside its step
    if not unscale:
        run.scaler.unscale_ = lambda optimizer: delattr(run.scaler, "unscale_")
    before = weights(run)
    update(run, make_batch(PAIRS[:6]))
    return (weights(run) - before).norm().item()


def test_an_optimizer_with_a_rate_of_its_own_is_refused():
    """AdamW's default is no rate that anybody has chosen."""
    model = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match="no group of the optimizer has the peak rate "
                       f"of the settings, {SHORT.peak_rate}: give it lr="):
        TrainingState(model, SHORT, optimizer=torch.optim.AdamW(model.parameters()))
    bias = {"params": [model.bias], "lr": 9.0}
    weight = {"params": [model.weight], "lr": SHORT.peak_rate}
    TrainingState(model, SHORT, optimizer=torch.optim.AdamW([bias, weight]))



def test_clipping_under_mixed_precision_clips_the_true_gradient():
    assert math.isclose(step_length(half=False), 0.01, rel_tol=1e-3)
    assert math.isclose(step_length(half=True), 0.01, rel_tol=1e-3)
    # the scaled gradient was clipped: the step all but vanishes
    assert step_length(half=True, unscale=False) < 1e-5


@pytest.mark.parametrize("changes, message", [
    ({"updates": 0}, "updates must be 1 or more; got 0"),
    ({"batch_size": 0}, "batch_size must be 1 or more; got 0"),
    ({"interval": 0}, "interval must be 1 or more; got 0"),
    ({"micro_batches": 0}, "micro_batches must be 1 or more; got 0"),
    ({"peak_rate": 0.0}, "peak_rate must be above 0; got 0.0"),
    ({"peak_rate": math.inf}, "peak_rate must be above 0; got inf"),
    ({"peak_rate": math.nan}, "peak_rate must be above 0; got nan"),
    ({"clip": -1.0}, "clip must be above 0; got -1.0"),
    ({"precision": "fp16"}, "precision must be one of float32, bfloat16, float16; got "
     "'fp16'"),
    ({"precision": "int64"}, "precision must be one of .* got 'int64'"),
    ({"schedule": "step"},
     "schedule must be one of wsd, inverse_sqrt, cosine; got 'step'"),
    ({"schedule": "inverse_sqrt"},
     "warmup must be .* 1 or more with the schedule inverse_sqrt; got 0"),
    ({"warmup": -1}, "warmup must be 0 or more"),
    ({"smoothing": 2}, "smoothing must be at least 0 and below 1; got 2"),
    ({"smoothing": 1.0}, "below 1; got 1.0"),
    ({"smoothing": -0.1}, "below 1; got -0.1"),
], ids=lambda part: str(part)[:30])
def test_settings_that_cannot_train_are_refused_in_one_sentence(changes, message):
    for make in (lambda: Settings(**changes), lambda: replace(SHORT, **changes)):
        with pytest.raises(ValueError, match=message) as refusal:
            make()
        assert "\n" not in str(refusal.value)


def test_settings_that_can_train_are_taken():
    Settings(updates=1, batch_size=1, interval=1, precision="bfloat16", smoothing=0.0)
    Settings(schedule="inverse_sqrt", warmup=1, smoothing=0.99, micro_batches=64)


def model_of(kind):
    torch.manual_seed(6)
    if kind == "Transformer":
        return make_transformer(11, 10, TransformerConfig(12, 3, 1, 20, dropout=0.0))
    return Seq2Seq(Encoder(11, 5, 12), Decoder(10, 5, 12))


@pytest.mark.parametrize("kind", ["Transformer", "RNN"])
def test_the_plain_loop_is_the_training_without_extras(kind):
    # in float32 Adam makes steps of what rounding leaves of a gradient that is 0
    plain, whole = model_of(kind).double(), model_of(kind).double()
    losses = fit(plain, PAIRS, 11, 4e-3, batch_size=6, seed=3)
    settings = Settings(updates=11, batch_size=6, peak_rate=4e-3, seed=3)
    history = train(TrainingState(whole, settings), PAIRS)
    assert losses == pytest.approx([record["loss"] for record in history], abs=1e-6)
    assert len(losses) == 11 and plain.training
    for mine, yours in zip(plain.parameters(), whole.parameters(), strict=True):
        torch.testing.assert_close(mine, yours, rtol=0, atol=1e-6)
    # another seed, another order
    assert losses != pytest.approx(fit(model_of(kind), PAIRS, 11, 4e-3, 6, seed=4),
                                   abs=1e-3)


def test_the_plain_loop_leaves_what_may_not_learn():
    model = model_of("RNN")
    kept = model.encoder.embedding.weight.requires_grad_(False).clone()
    fit(model, PAIRS, 3, 1e-2, batch_size=6)
    assert torch.equal(model.encoder.embedding.weight, kept)


def test_the_plain_loop_is_watched_behind_each_update():
    model, seen = model_of("RNN"), []
    bias = model.generator.bias
    losses = fit(model, PAIRS, 3, 1e-2, batch_size=6,
                 watch=lambda step: seen.append((step, bias.detach().clone())))
    assert [step for step, _ in seen] == [1, 2, 3] and len(losses) == 3
    assert torch.equal(seen[-1][1], bias)
    assert not torch.equal(seen[0][1], seen[1][1])


def test_training_learns():
    pairs = [([a, b], [b, a]) for a in range(4, 10) for b in range(4, 10)]
    run = make_training(Settings(updates=150, batch_size=12, peak_rate=1e-2), width=24)
    history = train(run, pairs)
    assert len(history) == 150
    assert history[-1]["loss"] < 0.1 < 2 < history[0]["loss"]


def test_an_epoch_is_one_update_a_batch_and_training_stops_at_the_last_update():
    """And a training that stopped inside an epoch goes on behind its last batch."""
    wanted = [batch for epoch in (0, 1, 2)
              for batch in epoch_batches(PAIRS, 6, 0, epoch)]
    for done in (0, 3, 4, 6):
        seen, run = [], make_training()
        run.history += [{"loss": 1.0}] * done

        def noted(training, batch):
            seen.append(batch)
            return {"loss": 1.0}

        assert len(train(run, PAIRS, update=noted)) == 9 and len(seen) == 9 - done
        for batch, other in zip(seen, wanted[done:]):
            assert torch.equal(batch.source, other.source)
            assert torch.equal(batch.target_out, other.target_out)


def test_a_file_that_holds_a_model_only_is_no_training(tmp_path):
    path, run = tmp_path / "model.safetensors", make_training()
    save_model(run.model, path, "words")
    before, content = weights(run), path.read_bytes()
    with pytest.raises(ValueError, match="model.safetensors holds a model and no "
                       "training: nothing can go on from it") as refusal:
        train(run, PAIRS, path=path)
    assert "\n" not in str(refusal.value)
    assert torch.equal(weights(run), before) and not run.history
    assert path.read_bytes() == content


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
    assert [n for n, record in enumerate(history, start=1)
            if record.get("exact") == 0.25] == [3, 6, 9]
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
        lambda module, inputs, output: output * float("nan") if len(run.history) == 4
        else output)
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
def test_smoothed_loss_equals_the_cross_entropy_of_a_target_spread_by_hand(
        lengths, smoothing):
    logits, target = draw_logits_and_target(lengths)
    spread = torch.full_like(logits, smoothing / (V - 1))
    spread[..., PAD] = 0.0    # nobody should ever say a pad
    spread.scatter_add_(-1, target[..., None],
                        torch.full_like(logits[..., :1], 1 - smoothing))
    wanted = -(spread * logits.log_softmax(dim=-1)).sum(dim=-1)[target != PAD].mean()
    torch.testing.assert_close(smoothed_loss(logits, target, smoothing), wanted, rtol=0,
                               atol=1e-10)
    if smoothing == 0:
        torch.testing.assert_close(wanted, token_loss(logits, target), rtol=0,
                                   atol=1e-10)


# rows, columns and words, and where pads stand
AWKWARD = [(2, 5, 7, 3), (1, 1, 5, 0), (7, 2, 12, 4), (3, 5, 6, 14)]


def torchs_target(rows, columns, words, pads, pad=PAD):
    """Logits and a target with so many pads; each row ends with EOS."""
    rng = torch.Generator().manual_seed(rows + words)
    logits = torch.randn(rows, columns, words, dtype=torch.float64, generator=rng)
    target = torch.randint(4, words, (rows, columns), generator=rng)
    target[:, -1] = EOS
    places = torch.randperm(rows * columns, generator=rng)[:pads]
    target.view(-1)[places] = pad
    return logits, target


@pytest.mark.parametrize("shape", AWKWARD, ids=str)
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_the_smoothed_target_is_torchs_without_the_pad(shape, smoothing):
    """Values and gradients. torch spreads over all words: it gets no column of PAD,
    whose score counts in the sum of all, so its logits are logs of ours."""
    logits, target = torchs_target(*shape)
    (ours, theirs) = (logits.clone().requires_grad_() for _ in range(2))
    found = cross_entropy(ours, target, smoothing)
    logs = theirs.log_softmax(dim=-1)
    # the mean of -log p, as torch spreads it, over the V - 1 words that are no pad
    spread = torch.full_like(logs, smoothing / (shape[2] - 1))
    spread[..., PAD] = 0
    spread.scatter_add_(-1, target[..., None], torch.full_like(
        logs[..., :1], 1 - smoothing))
    real = target != PAD
    wanted = F.cross_entropy(theirs[real], spread[real])    # of targets as shares
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    torch.testing.assert_close(*(torch.autograd.grad(loss, part)[0] for loss, part in
                                 ((found, ours), (wanted, theirs))), rtol=0, atol=1e-10)
    # with no chance for PAD, all is torch's own smoothing of the other columns
    never = logits.clone()
    never[..., PAD] = -1e3
    kept = never[..., 1:].clone().requires_grad_()
    never.requires_grad_()
    torchs = F.cross_entropy(kept[real], target[real] - 1, label_smoothing=smoothing)
    mine = cross_entropy(never, target, smoothing)
    torch.testing.assert_close(mine, torchs, rtol=0, atol=1e-10)
    slopes, their_slopes = (torch.autograd.grad(loss, part)[0] for loss, part in
                            ((mine, never), (torchs, kept)))
    torch.testing.assert_close(slopes[..., 1:], their_slopes, rtol=0, atol=1e-10)
    assert slopes[..., PAD].count_nonzero() == 0


@pytest.mark.parametrize("shape", AWKWARD, ids=str)
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
def test_where_no_word_is_the_pad_the_smoothed_target_is_torchs(shape, smoothing):
    """As in a language model, whose pieces begin with 0."""
    logits, target = torchs_target(*shape, pad=-100)
    target[0, 0] = 0
    ours, theirs = (logits.clone().requires_grad_() for _ in range(2))
    found = cross_entropy(ours, target, smoothing, pad=-100)
    wanted = F.cross_entropy(theirs.flatten(0, 1), target.flatten(),
                             label_smoothing=smoothing)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    torch.testing.assert_close(*(torch.autograd.grad(loss, part)[0] for loss, part in
                                 ((found, ours), (wanted, theirs))), rtol=0, atol=1e-10)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_part_without_a_word_has_no_loss_and_no_gradient(smoothing):
    logits = torch.randn(2, 3, V, requires_grad=True)
    loss = cross_entropy(logits, torch.full((2, 3), PAD), smoothing)
    loss.backward()
    assert loss.item() == 0 and logits.grad.count_nonzero() == 0


def test_sixteen_bits_become_thirty_two_before_the_loss():
    logits, target = draw_logits_and_target([2, 5])
    half = logits.bfloat16()
    for smoothing in (0.0, 0.1):
        assert cross_entropy(half, target, smoothing).dtype == torch.float32
        torch.testing.assert_close(cross_entropy(half, target, smoothing),
                                   cross_entropy(half.float(), target, smoothing))
        assert cross_entropy(logits, target, smoothing).dtype == torch.float64


def test_the_lowest_smoothed_loss_is_the_entropy_of_the_spread_target():
    logits = torch.full((1, V), 0.1 / (V - 1)).log()
    logits[0, 5], logits[0, PAD] = math.log(0.9 + 0.1 / (V - 1)), -40.0
    shares = [0.9 + 0.01] + [0.01] * (V - 2)
    entropy = -sum(share * math.log(share) for share in shares)
    assert (smoothed_loss(logits, torch.tensor([5]), 0.1).item()
            == pytest.approx(entropy, abs=1e-5))


def test_warm_up_climbs_in_a_straight_line():
    rates = [wsd(step, 100, 2.0, warmup=10) for step in range(100)]
    assert rates[:10] == pytest.approx([0.2 * n for n in range(1, 11)])
    assert rates[10:81] == [2.0] * 71 and rates[90] < 2.0
    assert (rate_at(3, Settings(updates=100, peak_rate=2.0, warmup=10))
            == pytest.approx(0.8))


def test_the_papers_schedule():
    peak = (512 * 4000) ** -0.5
    assert peak == pytest.approx(6.99e-4, rel=1e-3)
    for step in (0, 10, 3999, 4000, 20_000):
        formula = 512 ** -0.5 * min((step + 1) ** -0.5, (step + 1) * 4000 ** -1.5)
        assert inverse_sqrt(step, 4000, peak) == pytest.approx(formula)
    assert (rate_at(20, Settings(schedule="inverse_sqrt", warmup=40, peak_rate=1.0))
            == inverse_sqrt(20, 40, 1.0))


def test_half_a_cosine_is_that_of_torch():
    optimizer = torch.optim.SGD(torch.nn.Linear(1, 1).parameters(), lr=2.0)
    theirs = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=90)
    rates = [cosine_decay(step, 100, 2.0, warmup=10) for step in range(100)]
    assert rates[:10] == pytest.approx([0.2 * n for n in range(1, 11)])
    for rate in rates[10:]:    # behind the warm-up; torch's begins at the peak
        assert rate == pytest.approx(optimizer.param_groups[0]["lr"])
        optimizer.step()
        theirs.step()
    assert 0 < rates[-1] < 0.001
    assert rate_at(30, Settings(updates=100, peak_rate=2.0, warmup=10,
                                schedule="cosine")) == rates[30]
    assert cosine_decay(3, 5, 2.0, warmup=9) == pytest.approx(8 / 9)    # ends before


@pytest.mark.parametrize("parts", [2, 3, 6, 100])
def test_a_batch_in_parts_is_the_same_update(parts):
    whole, split = (make_transformer_training(),
                    make_transformer_training(micro_batches=parts))
    # Adam's first step is as long for the smallest gradient as for the largest
    for run in (whole, split):
        run.optimizer = torch.optim.SGD(run.model.parameters(), lr=SHORT.peak_rate)
    records = [update(run, make_batch(PAIRS[:6])) for run in (whole, split)]
    assert records[0]["loss"] == pytest.approx(records[1]["loss"], rel=1e-5)
    assert records[0]["norm"] == pytest.approx(records[1]["norm"], rel=1e-4)
    torch.testing.assert_close(weights(split), weights(whole), rtol=0, atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_the_loss_of_a_batch_is_that_of_its_logits_pads_left_out(smoothing):
    """Pads of a batch reach neither the generator nor the loss: value and gradients
    are those of the padded batch, where the losses themselves leave pads out."""
    run, batch = make_transformer_training(smoothing=smoothing), make_batch(PAIRS[:6])
    assert (batch.target_out == PAD).any()
    logits = run.model(batch.source, batch.source_lengths, batch.target_in)
    wanted = (smoothed_loss(logits, batch.target_out, smoothing) if smoothing
              else token_loss(logits, batch.target_out))
    scored = []
    run.model.generator.register_forward_hook(
        lambda part, inputs, output: scored.append(tuple(output.shape)))
    found = batch_loss(run.model, batch, run.settings)
    torch.testing.assert_close(found, wanted)
    assert scored == [((batch.target_out != PAD).sum().item(), 10)]
    slopes = [torch.autograd.grad(loss, list(run.model.parameters()))
              for loss in (found, wanted)]
    for mine, yours in zip(*slopes, strict=True):
        torch.testing.assert_close(mine, yours, rtol=1e-4, atol=1e-6)
    flat = F.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(),
                           label_smoothing=smoothing)
    assert abs(found.item() - flat.item()) > 0.01    # what counts pads is seen


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_sixteen_bits_give_nearly_the_same_update(precision):
    full, half = (update(make_transformer_training(precision=kind),
                         make_batch(PAIRS[:6])) for kind in ("float32", precision))
    assert (half["loss"] == pytest.approx(full["loss"], rel=0.02)
            and half["loss"] != full["loss"])
    assert half["norm"] == pytest.approx(full["norm"], rel=0.1)


def test_a_transformer_learns_its_pairs():
    pairs = [([a, b], [b, a]) for a in range(4, 10) for b in range(4, 10)]
    torch.manual_seed(0)
    config = TransformerConfig(24, 3, 1, 48, dropout=0.0)
    run = TrainingState(make_transformer(10, 10, config),
                        Settings(updates=150, batch_size=12, peak_rate=5e-3))
    history = train(run, pairs)
    assert history[0]["loss"] > 2.0 and sum(record["loss"]
                                            for record in history[-10:]) / 10 < 0.1


# A loss from outside

FREQUENCY = torch.linspace(0.1, 1.0, 10)    # of each word of the target, EOS as well


def frequent(model, part, settings, end=1.0):
    """Smoothing by frequency: a tenth of the mass; of the end only the share `end`."""
    logits = model(part.source, part.source_lengths, part.target_in)
    real = part.target_out != PAD
    wanted = F.one_hot(part.target_out[real], 10) * 0.9 + FREQUENCY / 10
    wanted[:, EOS] *= end
    return -(wanted * logits[real].log_softmax(dim=-1)).sum(dim=-1).mean()


@pytest.mark.parametrize("make", [make_training, make_transformer_training])
def test_a_loss_that_gives_the_end_no_share_is_refused(make):
    training = make()
    with pytest.raises(ValueError, match="give EOS its share of the target"):
        train(training, PAIRS, update=partial(update, loss=partial(frequent, end=0.0)))
    assert training.history == []
    assert not training.model.generator._forward_hooks


@pytest.mark.parametrize("make", [make_training, make_transformer_training])
def test_a_training_that_goes_on_is_asked_for_the_end_too(make, tmp_path):
    """A checkpoint does not know with which loss it was made."""
    path, begun, own = tmp_path / "a.safetensors", make(), partial(frequent, end=0.0)
    begun.history.append(update(begun, make_batch(PAIRS[:6])))
    save(begun, path)
    goes_on = make()
    with pytest.raises(ValueError, match="give EOS its share of the target"):
        train(goes_on, PAIRS, path=path, update=partial(update, loss=own))
    assert goes_on.history == begun.history
    assert torch.equal(weights(goes_on), weights(begun))


@pytest.mark.parametrize("make", [make_training, make_transformer_training])
def test_a_loss_from_outside_trains_as_it_is(make):
    """It is asked once, and neither weights nor chance notice."""
    ours, theirs = make(), make()
    calls = []

    def same(model, part, settings):
        calls.append(part)
        return batch_loss(model, part, settings)

    train(ours, PAIRS)
    train(theirs, PAIRS, update=partial(update, loss=same))
    assert len(calls) == SHORT.updates + 1
    assert torch.equal(weights(ours), weights(theirs))
    train(make(), PAIRS, update=partial(update, loss=frequent))
