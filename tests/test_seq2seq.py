"""seq2seq: against torch's cells in plain loops, values and gradients; a sentence alone
and in a padded batch.

Without attention first, then with every score and both orders: ask, then step
(Bahdanau); step, then ask (Luong).
"""

import copy
import functools

import pytest
import torch
from torch import nn

from softdict.attention import Additive, General, attention, dot, scaled_dot
from softdict.decoding import greedy
from softdict.seq2seq import (
    Attend, BahdanauDecoder, Decoder, Encoded, Encoder, LastState, LuongDecoder,
    ScheduledSampling, Seq2Seq, both_directions, select_rows, mixed_states,
    source_weights, top_state)
from softdict.vocab import BOS, EOS, PAD

B, T, S, D, V, WORDS = 2, 5, 7, 12, 11, 13
LENGTHS = torch.tensor([4, 7])    # unsorted, one padded
CELLS = [(nn.GRU, nn.GRUCell), (nn.LSTM, nn.LSTMCell), (nn.RNN, nn.RNNCell)]
both_depths = pytest.mark.parametrize("layers", [1, 2])
every_cell = pytest.mark.parametrize("cell, single", CELLS, ids=["GRU", "LSTM", "RNN"])


def make_model(cell=nn.GRU, layers=1, encoder=Encoder):
    torch.manual_seed(layers)
    return Seq2Seq(encoder(WORDS, 5, D, layers, cell),
                   Decoder(V, 6, D, layers, cell)).double()


def make_inputs():
    rng = torch.Generator().manual_seed(1)
    source = torch.randint(4, WORDS, (B, S), generator=rng)
    source[0, LENGTHS[0]:] = PAD
    target_in = torch.randint(4, V, (B, T), generator=rng)
    target_in[:, 0] = BOS
    return source, LENGTHS, target_in


def pads_in_front(source, lengths):
    return torch.stack([row.roll(len(row) - length)
                        for row, length in zip(source, lengths.tolist())])


def single_cell(rnn, single, layer, suffix=""):
    """Torch's cell for one step, with the weights of one layer and direction of a whole
    RNN."""
    inputs = getattr(rnn, f"weight_ih_l{layer}{suffix}").shape[1]
    one = single(inputs, rnn.hidden_size).double()
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        setattr(one, name, getattr(rnn, f"{name}_l{layer}{suffix}"))
    return one


def hidden_of(state):
    return state[0] if isinstance(state, tuple) else state


def read_by_loop(encoder, single, ids):
    """One sentence, one layer, one direction, one word at a time; returns states [S, D]
    and last states by layer."""
    inputs, last = list(encoder.embedding(torch.tensor(ids))[:, None]), []
    for layer in range(encoder.rnn.num_layers):
        sides = []
        for suffix, order in (("", range(len(ids))),
                              ("_reverse", reversed(range(len(ids))))):
            one, state, outputs = (single_cell(encoder.rnn, single, layer, suffix),
                                   None, {})
            for position in order:
                state = one(inputs[position], state)
                outputs[position] = hidden_of(state)
            sides.append((outputs, state))
        (forward, end), (backward, start) = sides
        inputs = [torch.cat([forward[position], backward[position]], dim=-1)
                  for position in range(len(ids))]
        pairs = zip(end, start) if isinstance(end, tuple) else [(end, start)]
        last.append([torch.cat(pair, dim=-1)[0] for pair in pairs])
    return torch.cat(inputs), last


def write_by_loop(model, single, states, ids):
    """One sentence: scores of every next word, one word, one layer at a time."""
    decoder, scores = model.decoder, []
    context = states[-1][0]
    states = [tuple(part[None] for part in layer) for layer in states]
    for word in ids:
        flow = torch.cat([decoder.embedding(torch.tensor(word)), context])[None]
        for layer in range(decoder.rnn.num_layers):
            old = states[layer] if single is nn.LSTMCell else states[layer][0]
            new = single_cell(decoder.rnn, single, layer)(flow, old)
            states[layer] = new if isinstance(new, tuple) else (new,)
            flow = states[layer][0]
        scores.append(model.generator(flow)[0])
    return torch.stack(scores)


@every_cell
@both_depths
def test_model_equals_loops_over_torchs_cells_values_and_gradients(cell,
                                                                   single, layers):
    ours = make_model(cell, layers)
    theirs = copy.deepcopy(ours)
    source, lengths, target_in = make_inputs()
    left = ours(source, lengths, target_in)
    right = []
    for ids, length, words in zip(source.tolist(), lengths.tolist(),
                                  target_in.tolist()):
        _, last = read_by_loop(theirs.encoder, single, ids[:length])
        right.append(write_by_loop(theirs, single, last, words))
    torch.testing.assert_close(left, torch.stack(right), rtol=0, atol=1e-12)
    for logits in (left, torch.stack(right)):
        logits.square().sum().backward()
    for (name, mine), yours in zip(ours.named_parameters(), theirs.parameters()):
        torch.testing.assert_close(mine.grad, yours.grad, rtol=0, atol=1e-10, msg=name)
        assert mine.grad.abs().max() > 1e-6, name


@every_cell
@both_depths
def test_encoder_keeps_the_right_states_of_every_layer_and_direction(
        cell, single, layers):
    encoder = make_model(cell, layers).encoder
    source, lengths, _ = make_inputs()
    encoded = encoder(source, lengths)
    for row, (ids, length) in enumerate(zip(source.tolist(), lengths.tolist())):
        states, last = read_by_loop(encoder, single, ids[:length])
        torch.testing.assert_close(encoded.states[row, :length], states)
        assert encoded.states[row, length:].count_nonzero() == 0
        for layer in range(layers):
            for part, mine in zip(last[layer], encoded.final
                                  if cell is nn.LSTM else [encoded.final]):
                torch.testing.assert_close(mine[layer, row], part)
    assert torch.equal(encoded.allowed, source != PAD)


def test_gru_equals_its_formula():
    encoder = make_model().encoder
    one, half = single_cell(encoder.rnn, nn.GRUCell, 0), D // 2
    word, state = (encoder.embedding(torch.tensor([5])),
                   torch.linspace(-1, 1, half, dtype=torch.float64)[None])
    from_word = (word @ one.weight_ih.T + one.bias_ih).split(half, dim=-1)
    from_state = (state @ one.weight_hh.T + one.bias_hh).split(half, dim=-1)
    reset, keep = (torch.sigmoid(x + h) for x, h in zip(from_word[:2], from_state[:2]))
    new = torch.tanh(from_word[2] + reset * from_state[2])
    torch.testing.assert_close(one(word, state), (1 - keep) * new + keep * state)


def alone_equals_together(model):
    """True if each sentence of the batch gives the same scores alone as beside the
    other one."""
    source, lengths, target_in = make_inputs()
    together = model(source, lengths, target_in)
    alone = [model(source[row:row + 1, :length], lengths[row:row + 1],
                   target_in[row:row + 1])
             for row, length in enumerate(lengths.tolist())]
    return torch.allclose(together, torch.cat(alone), rtol=0, atol=1e-10)


class Unpacked(Encoder):
    def forward(self, source, lengths):
        states, final = self.rnn(self.embedding(source))
        return Encoded(states, both_directions(final), source != PAD)


class LastOutput(Encoder):
    def forward(self, source, lengths):
        encoded = super().forward(source, lengths)
        return Encoded(encoded.states, encoded.states[:, -1][None], encoded.allowed)


class MixedBatch(Encoder):
    def forward(self, source, lengths):
        encoded = super().forward(source, lengths)
        _, final = self.rnn(nn.utils.rnn.pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False))
        return Encoded(encoded.states, final.reshape(len(final) // 2, len(source), -1),
                       encoded.allowed)


@every_cell
@both_depths
def test_a_sentence_alone_equals_itself_in_a_padded_unsorted_batch(cell,
                                                                   single, layers):
    assert alone_equals_together(make_model(cell, layers))


@pytest.mark.parametrize("wrong", [Unpacked, LastOutput, MixedBatch])
def test_that_comparison_catches_wrong_encoders(wrong, recorder):
    with recorder.pause():
        assert not alone_equals_together(make_model(encoder=wrong))


def test_more_pads_change_nothing_behind_or_in_front():
    model, (source, lengths, target_in) = make_model(), make_inputs()
    more = torch.cat([source, torch.full((B, 3), PAD)], dim=1)
    right = model(source, lengths, target_in)
    torch.testing.assert_close(model(more, lengths, target_in), right)
    assert torch.equal(model(pads_in_front(source, lengths), lengths, target_in), right)
    assert greedy(model, pads_in_front(more, lengths), lengths, 9) == greedy(
        model, source, lengths, 9)


def test_the_last_output_is_not_the_last_state_of_the_backward_reader():
    encoder, (source, lengths, _) = make_model().encoder, make_inputs()
    encoded = encoder(source, lengths)
    row, half = 1, D // 2    # the row without pads
    torch.testing.assert_close(encoded.final[-1, row, :half],
                               encoded.states[row, -1, :half])
    torch.testing.assert_close(encoded.final[-1, row, half:],
                               encoded.states[row, 0, half:])
    assert not torch.allclose(encoded.final[-1, row, half:],
                              encoded.states[row, -1, half:])


def test_both_directions_stay_with_their_layer():
    # layer 0: 0 and 1, layer 1: 2 and 3
    final = torch.arange(4.0)[:, None, None].expand(4, B, 3)
    assert (both_directions(final)[:, 0].tolist()
            == [[0, 0, 0, 1, 1, 1], [2, 2, 2, 3, 3, 3]])


def test_top_state_is_the_last_layers_hidden_state():
    hidden, cell = torch.randn(2, B, D), torch.randn(2, B, D)
    assert torch.equal(top_state(hidden), hidden[1])
    assert torch.equal(top_state((hidden, cell)), hidden[1])


def test_an_output_depends_on_no_later_target_word():
    model, (source, lengths, target_in) = make_model(), make_inputs()
    changed = other_words(target_in, 3)
    before, after = model(source, lengths, target_in), model(source, lengths, changed)
    assert torch.equal(before[:, :3], after[:, :3])
    assert (before[:, 3:] - after[:, 3:]).abs().amax(dim=(0, 2)).min() > 1e-6


def test_start_and_step_give_the_scores_of_forward():
    model, (source, lengths, target_in) = make_model(nn.LSTM, 2), make_inputs()
    state, scores = model.start(source, lengths), []
    for t in range(T):
        logits, state = model.step(target_in[:, t], state)
        scores.append(logits)
    torch.testing.assert_close(torch.stack(scores, dim=1),
                               model(source, lengths, target_in))


# Its own words

def other_words(target_in, place=slice(1, None)):
    changed = target_in.clone()
    changed[:, place] = 4 + (changed[:, place] - 3) % (V - 4)
    return changed


def free_scores(model, inputs, teacher_forcing=0.0):
    return model.generator(mixed_states(model, *inputs, teacher_forcing))


def writes_words_alone(model):
    """The model, which never writes a word that is none."""
    with torch.no_grad():
        model.generator.bias[[PAD, BOS, EOS]] = -100
    return model


def test_free_running_reads_nothing_of_the_target_but_its_first_word():
    model, (source, lengths, target_in) = make_model(), make_inputs()
    inputs, others = ((source, lengths, words)
                      for words in (target_in, other_words(target_in)))
    assert torch.equal(free_scores(model, inputs), free_scores(model, others))
    assert not torch.allclose(model(*inputs), model(*others))


def test_free_running_equals_greedy():
    model, inputs = writes_words_alone(make_model()), make_inputs()
    free = free_scores(model, inputs).argmax(dim=-1)
    assert greedy(model, *inputs[:2], max_length=T) == free.tolist()


def test_told_at_every_step_they_are_the_states_of_the_model_values_and_gradients():
    model, inputs = make_model(nn.LSTM, 2), make_inputs()
    ours, right = mixed_states(model, *inputs, 1.0), model.states(*inputs)
    assert torch.equal(ours, right)
    for mine, other in zip(
            *(torch.autograd.grad(states.square().sum(), model.decoder.parameters())
              for states in (ours, right))):
        assert torch.equal(mine, other)


def test_the_ratio_is_the_share_of_told_steps_and_follows_the_seed():
    model, (source, lengths, _) = make_model(), make_inputs()
    read = []
    model.decoder.embedding.register_forward_hook(
        lambda module, inputs, output: read.append(inputs[0][0].item()))
    with torch.no_grad():
        # the model's own word is always 9, the target's always 5
        model.generator.bias[9] = 100.0
    target_in = torch.full((B, 200), 5)

    def words_read(seed, ratio):
        read.clear()
        torch.manual_seed(seed)
        mixed_states(model, source, lengths, target_in, ratio)
        return list(read)

    assert words_read(0, 1.0) == [5] * 200
    assert words_read(0, 0.0) == [5] + [9] * 199
    assert 0.65 < words_read(0, 0.75).count(5) / 200 < 0.85
    assert words_read(0, 0.75) == words_read(0, 0.75) != words_read(1, 0.75)


@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_scheduled_sampling_is_the_same_model_with_mixed_states(ratio):
    model, inputs = make_model(), make_inputs()
    mixing = ScheduledSampling(model.encoder, model.decoder, ratio).double()
    mixing.load_state_dict(model.state_dict())
    for seed in range(3):
        torch.manual_seed(seed)
        ours = mixing(*inputs)
        torch.manual_seed(seed)
        assert torch.equal(ours, free_scores(model, inputs, ratio))
    assert torch.equal(ours, model(*inputs)) == (ratio == 1)
    assert torch.equal(mixing.eval()(*inputs), model(*inputs))    # outside of training
    mixing.train()
    assert greedy(mixing, *inputs[:2], 9) == greedy(model, *inputs[:2], 9)
    ours.square().sum().backward()
    assert all(part.grad.isfinite().all() for part in mixing.parameters())
    # outside of training it reads what it is told
    assert torch.equal(mixing.eval()(*inputs), model(*inputs))


def test_the_models_own_states_draw_no_random_number():
    model, inputs = make_model(), make_inputs()
    before = torch.get_rng_state()
    model(*inputs)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_pad_has_the_zero_vector():
    model = make_model()
    assert (model.encoder.embedding.weight[PAD].count_nonzero()
            == model.decoder.embedding.weight[PAD].count_nonzero() == 0)


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="it must be even; got 13"):
        Encoder(WORDS, 5, 13)


@pytest.mark.parametrize("other", [{"width": 14}, {"layers": 2}, {"cell": nn.LSTM}])
def test_an_encoder_and_a_decoder_that_do_not_fit_are_refused(other):
    with pytest.raises(ValueError, match="must have the same width, the same cell and "
                       "the same number of layers"):
        Seq2Seq(Encoder(WORDS, 5, D), Decoder(V, 5, **{"width": D, **other}))


def test_forward_follows_its_inputs_to_another_device():
    """Packing reads lengths, which the meta device does not hold: the encoder is
    replaced by what it would return."""
    class Anywhere(nn.Module):
        def forward(self, source, lengths):
            make = torch.empty
            return Encoded(make(B, S, D, device="meta"), make(2, B, D, device="meta"),
                           make(B, S, device="meta"))

    model = make_model(layers=2).float().to("meta")
    model.encoder = Anywhere()
    source, lengths, target_in = make_inputs()
    inputs = source.to("meta"), lengths, target_in.to("meta")
    for logits in (model(*inputs), *(free_scores(model, inputs, ratio)
                                     for ratio in (0.0, 0.5, 1.0))):
        assert logits.device.type == "meta" and logits.shape == (B, T, V)


# With attention

def plain(query, key):
    """A score as a reader writes it."""
    return (query[..., :, None, :] * key[..., None, :, :]).sum(dim=-1)


LOOKUPS = {
    "dot": lambda: Attend(), "scaled_dot": lambda: Attend(scaled_dot),
    "plain function": lambda: Attend(plain), "general": lambda: Attend(General(D, D)),
    "general on the key": lambda: Attend(dot, nn.Linear(D, D, bias=False)),
    "additive": lambda: Attend(Additive(D, 9), nn.Linear(D, 9, bias=False))}
DECODERS = {"bahdanau": BahdanauDecoder, "luong": LuongDecoder,
            "luong without feeding": lambda *sizes: LuongDecoder(*sizes, feed=False)}
every_lookup = pytest.mark.parametrize("lookup", LOOKUPS)
every_decoder = pytest.mark.parametrize("decoder", DECODERS)


def make_looker(decoder="luong", lookup="general", cell=nn.GRU, layers=1):
    """A model with a lookup; encoder and decoder have the same weights whatever the
    lookup is."""
    torch.manual_seed(layers)
    encoder, inside = (Encoder(WORDS, 5, D, layers, cell),
                       DECODERS[decoder](V, 6, D, layers, cell, None))
    model = Seq2Seq(encoder, inside)
    inside.context = LOOKUPS[lookup]() if lookup in LOOKUPS else lookup
    with torch.no_grad():
        for part in model.parameters():
            # as if trained a little: fresh weights look everywhere alike
            part.mul_(2)
    return model.double()


def energies_by_loop(attend, query, states):
    """Scores of one query for each state of one sentence, by the formulas."""
    if isinstance(attend.score, Additive):
        W, U, v = (attend.score.query_layer.weight, attend.key_layer.weight,
                   attend.score.energy_layer.weight[0])
        return torch.stack([v @ torch.tanh(W @ query + U @ state) for state in states])
    keys = ([attend.key_layer.weight @ state for state in states]
            if isinstance(attend.key_layer, nn.Linear) else states)
    if isinstance(attend.score, General):
        query = attend.score.query_layer.weight @ query
    scale = D ** 0.5 if attend.score is scaled_dot else 1
    return torch.stack([query @ key / scale for key in keys])


def look_and_write_by_loop(model, single, states, last, ids):
    """One sentence without pads: scores of every next word and weights of every step,
    one word at a time."""
    decoder, scores, looks = model.decoder, [], []
    layers, fed = ([tuple(part[None] for part in layer) for layer in last],
                   torch.zeros(D).double())

    def ask(query):
        looks.append(energies_by_loop(decoder.context, query, states).exp())
        looks[-1] = looks[-1] / looks[-1].sum()
        return sum(weight * state for weight, state in zip(looks[-1], states))

    for word in ids:
        flow = [decoder.embedding(torch.tensor(word))]
        if isinstance(decoder, LuongDecoder):
            flow += [fed] if decoder.feed else []
        else:
            flow += [ask(layers[-1][0][0])]
        flow = torch.cat(flow)[None]
        for layer in range(decoder.rnn.num_layers):
            old = layers[layer] if single is nn.LSTMCell else layers[layer][0]
            new = single_cell(decoder.rnn, single, layer)(flow, old)
            layers[layer] = new if isinstance(new, tuple) else (new,)
            flow = layers[layer][0]
        output = flow[0]
        if isinstance(decoder, LuongDecoder):
            output = fed = torch.tanh(decoder.join.weight
                                      @ torch.cat([ask(output), output]))
        scores.append(model.generator(output))
    return torch.stack(scores), torch.stack(looks)


@every_decoder
@every_lookup
@pytest.mark.parametrize("cell, single, layers", [(*CELLS[0], 1), (*CELLS[1], 2)],
                         ids=["GRU", "LSTM"])
def test_a_model_that_looks_equals_loops_values_and_gradients(decoder, lookup, cell,
                                                              single, layers):
    ours = make_looker(decoder, lookup, cell, layers)
    theirs = copy.deepcopy(ours)
    source, lengths, target_in = make_inputs()
    left, looks, right = (ours(source, lengths, target_in),
                          source_weights(ours, source, lengths, target_in), [])
    for row, (length, words) in enumerate(zip(lengths.tolist(), target_in.tolist())):
        states, last = read_by_loop(theirs.encoder, single,
                                    source[row, :length].tolist())
        scores, weights = look_and_write_by_loop(theirs, single, states, last, words)
        right.append(scores)
        torch.testing.assert_close(looks[row, :, :length], weights, rtol=0, atol=1e-12)
        assert looks[row, :, length:].count_nonzero() == 0
    torch.testing.assert_close(left, torch.stack(right), rtol=0, atol=1e-12)
    for logits in (left, torch.stack(right)):
        logits.square().sum().backward()
    for (name, mine), yours in zip(ours.named_parameters(), theirs.parameters()):
        torch.testing.assert_close(mine.grad, yours.grad, rtol=0, atol=1e-10, msg=name)
        assert mine.grad.abs().max() > 1e-6, name


@every_decoder
@every_lookup
def test_looking_too_a_sentence_alone_equals_itself_in_a_padded_unsorted_batch(
        decoder, lookup):
    model, (source, lengths, target_in) = make_looker(decoder, lookup), make_inputs()
    assert alone_equals_together(model)
    together = source_weights(model, source, lengths, target_in)
    for row, length in enumerate(lengths.tolist()):
        alone = source_weights(model, source[row:row + 1, :length],
                               lengths[row:row + 1], target_in[row:row + 1])
        torch.testing.assert_close(together[row:row + 1, :, :length], alone, rtol=0,
                                   atol=1e-12)


class NoMask(Attend):
    def forward(self, query, source):
        key, value, _ = source
        context, weights = attention(query[:, None], key, value, None, self.score)
        return context[:, 0], weights[:, 0]


class MaskAfterwards(Attend):
    def forward(self, query, source):
        key, value, allowed = source
        _, weights = attention(query[:, None], key, value, None, self.score)
        weights = weights * allowed[:, None]
        return (weights @ value)[:, 0], weights[:, 0]


@pytest.mark.parametrize("wrong", [NoMask, MaskAfterwards])
def test_that_comparison_catches_wrong_masks(wrong):
    model = make_looker("luong", wrong(scaled_dot))
    assert not alone_equals_together(model)


@every_decoder
@every_lookup
def test_weights_add_up_to_one_and_pads_have_exactly_none(decoder, lookup):
    model, (source, lengths, target_in) = make_looker(decoder, lookup), make_inputs()
    weights = source_weights(model, source, lengths, target_in)
    assert weights.shape == (B, T, S)
    torch.testing.assert_close(weights.sum(dim=-1),
                               torch.ones(B, T, dtype=torch.float64))
    assert torch.equal(weights > 0, (source != PAD)[:, None].expand(B, T, S))


@pytest.mark.parametrize("place", range(S))
def test_weight_number_n_is_about_word_number_n(place):
    def hot(query, key):
        return 1e3 * (torch.arange(S) == place).double().expand(B, 1, S)

    attend, encoder, (source, _, _) = Attend(hot), make_model().encoder, make_inputs()
    encoded = encoder(source, torch.tensor([S, S]))
    context, weights = attend(torch.zeros(B, D).double(), attend.start(encoded))
    assert weights.argmax(dim=-1).tolist() == [place] * B
    torch.testing.assert_close(context, encoded.states[:, place])


def test_keys_and_values_are_two_things():
    """With keys of another width the context is still an average of the states."""
    attend, (source, lengths, _) = Attend(dot, nn.Linear(D, 3).double()), make_inputs()
    encoded = make_model().encoder(source, lengths)
    key, value, allowed = attend.start(encoded)
    assert key.shape == (B, S, 3) and value is encoded.states
    assert allowed is encoded.allowed
    context, weights = attend(torch.randn(B, 3).double(), (key, value, allowed))
    torch.testing.assert_close(context,
                               torch.einsum("bs,bsd->bd", weights, encoded.states))


class Counting(nn.Linear):
    calls = 0

    def forward(self, states):
        self.calls += 1
        return super().forward(states)


class KeysAtEachStep(Attend):
    def start(self, encoded):
        return encoded

    def forward(self, query, source):
        return super().forward(query, super().start(source))


@every_decoder
def test_keys_are_projected_once_a_source_and_that_equals_at_each_step(decoder):
    score, keys = Additive(D, 9), Counting(D, 9, bias=False)
    once, each = (make_looker(decoder, kind(score, keys))
                  for kind in (Attend, KeysAtEachStep))
    source, lengths, target_in = make_inputs()
    logits = once(source, lengths, target_in)
    assert keys.calls == 1
    torch.testing.assert_close(each(source, lengths, target_in), logits, rtol=0,
                               atol=1e-14)
    assert keys.calls == 1 + T
    greedy(once, source, lengths, max_length=4)
    source_weights(once, source, lengths, target_in)
    assert keys.calls == 1 + T + 2


@every_decoder
def test_the_control_has_the_same_modules_and_differs_in_the_lookup_alone(decoder):
    model, control = make_looker(decoder, "dot"), make_looker(decoder, LastState())
    assert {name: p.shape for name, p in model.named_parameters()} == {
        name: p.shape for name, p in control.named_parameters()}
    for (name, mine), theirs in zip(model.named_parameters(), control.parameters()):
        assert torch.equal(mine, theirs), name

    class Pretend(Attend):
        start, forward = LastState.start, LastState.forward

    inputs = make_inputs()
    assert not torch.allclose(model(*inputs), control(*inputs))
    assert torch.equal(make_looker(decoder, Pretend())(*inputs), control(*inputs))


@pytest.mark.parametrize("model", [make_model, *(
    functools.partial(make_looker, decoder, LastState()) for decoder in DECODERS)])
def test_without_a_lookup_there_are_no_weights(model):
    with pytest.raises(ValueError, match="does not attend: there are no weights"):
        source_weights(model(), *make_inputs())


@every_decoder
def test_weights_of_right_words_equal_those_step_by_step(decoder):
    model, (source, lengths, target_in) = make_looker(decoder), make_inputs()
    state, rows = model.start(source, lengths), []
    hook = model.decoder.context.register_forward_hook(
        lambda module, inputs, output: rows.append(output[1]))
    for t in range(T):
        _, state = model.step(target_in[:, t], state)
    hook.remove()
    by_step = torch.stack(rows, dim=1)
    torch.testing.assert_close(source_weights(model, source, lengths, target_in),
                               by_step, rtol=0, atol=0)
    assert (by_step[:, 1:] - by_step[:, :-1]).abs().amax(dim=-1).min() > 1e-6


@every_decoder
def test_whoever_asks_for_weights_leaves_no_hook_behind(decoder):
    model, (source, lengths, target_in) = make_looker(decoder), make_inputs()
    source_weights(model, source, lengths, target_in)
    assert not model.decoder.context._forward_hooks
    with pytest.raises(IndexError):
        source_weights(model, source, lengths, target_in + V)
    assert not model.decoder.context._forward_hooks


@every_decoder
def test_pads_in_front_change_neither_scores_nor_weights(decoder):
    model, (source, lengths, target_in) = make_looker(decoder), make_inputs()
    left = pads_in_front(source, lengths)
    assert not torch.equal(left, source)
    for see in (model, functools.partial(source_weights, model)):
        assert torch.equal(see(left, lengths, target_in),
                           see(source, lengths, target_in))


class MeanState(nn.Module):
    """A context that does not ask, as a reader writes it: the mean of the states."""

    def __init__(self):
        super().__init__()
        self.queries = []

    def start(self, encoded):
        return encoded

    def forward(self, query, source):
        self.queries.append(query)
        weights = source.allowed / source.allowed.sum(dim=1, keepdim=True)
        return (source.states * weights[..., None]).sum(dim=1), weights


@every_decoder
@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM])
def test_another_context_is_all_that_a_decoder_needs(decoder, cell):
    model, inputs = make_looker(decoder, MeanState(), cell, 2), make_inputs()
    control = make_looker(decoder, LastState(), cell, 2)
    assert {name: p.shape for name, p in model.named_parameters()} == {
        name: p.shape for name, p in control.named_parameters()}
    assert alone_equals_together(model)
    assert not torch.allclose(model(*inputs), control(*inputs))
    assert source_weights(model, *inputs).shape == (B, T, S)


@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM])
@pytest.mark.parametrize("decoder", DECODERS)
def test_the_query_is_the_state_before_the_step_or_the_new_one(decoder, cell):
    model = make_looker(decoder, MeanState(), cell, 2)
    (source, lengths, target_in), asked = make_inputs(), model.decoder.context.queries
    state = model.start(source, lengths)
    _, new = model.step(target_in[:, 0], state)
    # Luong's state is the RNN's and the last output
    before, after = (top_state(inner if decoder == "bahdanau" else inner[0])
                     for inner, _ in (state, new))
    assert torch.equal(asked[0], before if decoder == "bahdanau" else after)
    assert not torch.allclose(before, after)


@every_cell
@both_depths
def test_asking_for_the_last_state_is_the_plain_decoder(cell, single, layers):
    plain, inputs = make_model(cell, layers), make_inputs()
    torch.manual_seed(layers)
    asking = Seq2Seq(Encoder(WORDS, 5, D, layers, cell),
                     BahdanauDecoder(V, 6, D, layers, cell, LastState())).double()
    assert list(plain.state_dict()) == list(asking.state_dict())
    for model in (plain, asking):
        model(*inputs).square().sum().backward()
    assert torch.equal(plain(*inputs), asking(*inputs))
    for mine, theirs in zip(plain.parameters(), asking.parameters()):
        assert torch.equal(mine, theirs) and torch.equal(mine.grad, theirs.grad)


@pytest.mark.parametrize("decoder", [BahdanauDecoder, LuongDecoder])
def test_unless_told_otherwise_a_decoder_attends_with_dot_products(decoder):
    context = decoder(V, 6, D).context
    assert isinstance(context, Attend) and context.score is dot
    assert not list(context.parameters())


@every_decoder
def test_its_own_words_with_attention_equal_greedy(decoder):
    model, inputs = writes_words_alone(make_looker(decoder)), make_inputs()
    free = free_scores(model, inputs).argmax(dim=-1)
    assert greedy(model, *inputs[:2], max_length=T) == free.tolist()
    assert torch.equal(mixed_states(model, *inputs, 1.0), model.states(*inputs))


ORDERS = ([0, 1], [1, 0], [1], [0, 0, 1, 0], [1, 1])


@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM])
@pytest.mark.parametrize("decoder", [None, *DECODERS])
def test_reorder_takes_any_rows_in_any_order(decoder, cell):
    """Every row goes on as it would have gone on in its old place."""
    (source, lengths, target_in) = make_inputs()
    for lookup in ("additive", LastState()) if decoder else (None,):
        model = (make_looker(decoder, lookup, cell, 2) if decoder
                 else make_model(cell, 2))
        state = model.start(source, lengths)
        for t in range(3):
            for order in ORDERS:
                rows = torch.tensor(order)
                moved, ids = model.reorder(state, rows), target_in[rows]
                still = state
                for later in range(t, T):
                    ours, moved = model.step(ids[:, later], moved)
                    right, still = model.step(target_in[:, later], still)
                    torch.testing.assert_close(ours, right[rows], rtol=0, atol=1e-12)
            _, state = model.step(target_in[:, t], state)


def test_chosen_rows_of_tensors_in_tuples_in_tuples():
    x, y = torch.randn(4, 3, 2), torch.randn(1, 3)
    rows = torch.tensor([2, 2, 0])
    (one, (other,)) = select_rows((x, (y,)), rows, 1)
    assert torch.equal(one, x[:, rows]) and torch.equal(other, y[:, rows])
    assert torch.equal(select_rows(x, rows, 0), x[rows])


@pytest.mark.parametrize("decoder, first",
                         [("bahdanau", 4), ("luong", 3), ("luong without feeding", 3)])
def test_the_old_state_has_not_read_the_word_before_and_the_new_one_has(decoder, first):
    """Step 3 reads word 3 of target_in: Luong's query of step 3 knows it, Bahdanau's
    only that of step 4."""
    model, (source, lengths, target_in) = make_looker(decoder), make_inputs()
    changed = other_words(target_in, 3)
    before, after = (source_weights(model, source, lengths, words)
                     for words in (target_in, changed))
    moved = (before - after).abs().amax(dim=(0, 2)) > 1e-9
    assert moved.tolist() == [t >= first for t in range(T)]


@every_decoder
@pytest.mark.parametrize("cell", [nn.GRU, nn.LSTM])
def test_start_and_step_give_the_scores_of_forward_with_a_lookup(decoder, cell):
    model, (source, lengths, target_in) = (make_looker(decoder, "additive", cell, 2),
                                           make_inputs())
    state, scores = model.start(source, lengths), []
    for t in range(T):
        logits, state = model.step(target_in[:, t], state)
        scores.append(logits)
    torch.testing.assert_close(torch.stack(scores, dim=1),
                               model(source, lengths, target_in))


# Input feeding

def fed_and_made(model, inputs):
    """What the RNN of the decoder reads beside the words, and what the decoder puts
    out: [T, B, D] both."""
    fed, made = [], []
    hooks = [
        model.decoder.rnn.register_forward_pre_hook(
            lambda module, given: fed.append(given[0][:, 0, 6:])),
        model.decoder.register_forward_hook(
            lambda module, given, output: made.append(output[0]))]
    model(*inputs)
    for hook in hooks:
        hook.remove()
    return torch.stack(fed), torch.stack(made)


def test_the_last_output_is_fed_and_zeros_before_the_first_word():
    fed, made = fed_and_made(make_looker("luong"), make_inputs())
    assert fed[0].count_nonzero() == 0
    assert torch.equal(fed[1:], made[:-1]) and made.abs().min() > 0
    fed, _ = fed_and_made(make_looker("luong without feeding"), make_inputs())
    assert fed.shape == (T, B, 0)


def test_gradients_flow_through_what_is_fed():
    model, (source, lengths, target_in) = make_looker("luong"), make_inputs()
    made = []
    model.decoder.register_forward_hook(
        lambda module, given, output: made.append(output[0]))
    logits = model(source, lengths, target_in)
    for t in range(1, T):
        gradient, = torch.autograd.grad(logits[:, t].square().sum(), made[t - 1],
                                        retain_graph=True)
        assert gradient.abs().min() > 0


@every_decoder
def test_nothing_of_a_sentence_is_left_for_the_next_one(decoder):
    model, (source, lengths, target_in) = (make_looker(decoder, "additive"),
                                           make_inputs())
    before = model(source, lengths, target_in)
    model(source.flip(0), lengths.flip(0), target_in.flip(0))
    greedy(model, source, lengths, max_length=4)
    assert torch.equal(model(source, lengths, target_in), before)


@every_decoder
def test_a_model_that_looks_follows_its_inputs_to_another_device(decoder):
    class Anywhere(nn.Module):
        def forward(self, source, lengths):
            make = torch.empty
            return Encoded(make(B, S, D, device="meta"), make(2, B, D, device="meta"),
                           make(B, S, device="meta", dtype=torch.bool))

    for lookup in LOOKUPS:
        model = make_looker(decoder, lookup, layers=2).float().to("meta")
        model.encoder = Anywhere()
        source, lengths, target_in = make_inputs()
        inputs = source.to("meta"), lengths, target_in.to("meta")
        for logits in (model(*inputs), free_scores(model, inputs, 0.5)):
            assert logits.shape == (B, T, V)
        assert source_weights(model, *inputs).shape == (B, T, S)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_model_that_looks_trains_in_half_precision(dtype):
    inputs = make_inputs()
    for lookup in LOOKUPS:
        model = make_looker("luong", lookup).float()
        with torch.autocast("cpu", dtype):
            logits = model(*inputs)
        logits.float().square().sum().backward()
        torch.testing.assert_close(logits.float(), model(*inputs), rtol=0, atol=0.05)
        assert all(part.grad.isfinite().all() for part in model.parameters())
