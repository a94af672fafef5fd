"""linear_attention: against loops and dictionaries, step by step against all at once,
values and gradients, and against Hugging Face's functions."""

import importlib

import pytest
import torch
import torch.nn.functional as F
from copied import draw
from hypothesis import given
from hypothesis import strategies as st

from softdict.linear_attention import (
    delta_write, empty, gated_delta_block, gated_delta_rule, in_blocks,
    linear_attention, read, write)
from softdict.lookup import exact_lookup

CLOSE = {"rtol": 0, "atol": 1e-10}
# axes in front, words, widths of keys and values
SIZES = [((), 1, 3, 2), ((2,), 7, 3, 5), ((2, 3), 13, 8, 4), ((1,), 33, 1, 6)]
BLOCKS = [1, 2, 5, 8, 64]


def memory_case(front, T, K, D, seed=0):
    """Query, key of length 1, value, strength, gate and an old state; all learn."""
    query, key = draw(seed, *front, T, K), draw(seed + 1, *front, T, K)
    parts = [query, F.normalize(key, dim=-1), draw(seed + 2, *front, T, D),
             draw(seed + 3, *front, T, 1).sigmoid(),
             draw(seed + 4, *front, T, 1).sigmoid(), draw(seed + 5, *front, K, D)]
    return [part.requires_grad_() for part in parts]


def compared(one, other, inputs):
    """Both give equal answers and states, and equal gradients of all inputs."""
    both = []
    for answers, state in (one, other):
        loss = ((answers * draw(8, *answers.shape)).sum()
                + (state * draw(9, *state.shape)).sum())
        both.append((answers, state,
                     torch.autograd.grad(loss, inputs, retain_graph=True)))
    torch.testing.assert_close(*both, **CLOSE)


def by_loop(query, key, value, strength, gate, state):
    """The gated delta rule number by number, for one sequence without axes in front."""
    T, (K, D), answers = len(key), state.shape, []
    rows = [[state[i, j] for j in range(D)] for i in range(K)]
    for t in range(T):
        rows = [[gate[t, 0] * number for number in row] for row in rows]
        for j in range(D):
            known = sum(key[t, i] * rows[i][j] for i in range(K))
            for i in range(K):
                rows[i][j] = rows[i][j] + (strength[t, 0] * key[t, i]
                                           * (value[t, j] - known))
        answers.append(torch.stack([sum(query[t, i] * rows[i][j] for i in range(K))
                                    for j in range(D)]))
    return torch.stack(answers), torch.stack([torch.stack(row) for row in rows])


# The sum

@pytest.mark.parametrize("sizes", SIZES)
def test_linear_attention_is_the_sum_of_outer_products_so_far(sizes):
    query, key, value, _, _, state = inputs = memory_case(*sizes)
    memory, answers = state, []
    for t in range(sizes[1]):
        outer = torch.einsum("...i,...j->...ij", key[..., t, :], value[..., t, :])
        memory = memory + outer
        answers.append(torch.einsum("...i,...ij->...j", query[..., t, :], memory))
    compared(linear_attention(query, key, value, state),
             (torch.stack(answers, dim=-2), memory), [*inputs[:3], state])


@pytest.mark.parametrize("size", BLOCKS)
@pytest.mark.parametrize("sizes", SIZES)
def test_blocks_change_no_sum(sizes, size):
    query, key, value, _, _, state = inputs = memory_case(*sizes)
    compared(in_blocks(linear_attention, size, query, key, value, state=state),
             linear_attention(query, key, value, state), [*inputs[:3], state])


def test_without_a_state_the_memory_is_empty():
    for rule, count in ((linear_attention, 3), (gated_delta_rule, 5),
                        (gated_delta_block, 5)):
        *parts, state = memory_case((2,), 6, 3, 4)
        compared(rule(*parts[:count]), rule(*parts[:count], torch.zeros_like(state)),
                 parts[:count])


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-99, 99)), min_size=1),
       st.sampled_from("abcd"))
def test_with_one_hot_keys_it_is_the_lookup_of_chapter_01(pairs, asked):
    """The sum of all values with that key, the mean times how many there are."""
    hot = torch.eye(4, dtype=torch.float64)
    names, values = zip(*pairs)
    key = hot[["abcd".index(name) for name in names]]
    value = torch.tensor(values, dtype=torch.float64)[:, None]
    memory = write(empty(key, value), key, value)
    found = read(memory, hot[["abcd".index(asked)]]).item()
    assert found == sum(number for name, number in pairs if name == asked)
    if asked in names:
        answer, _ = exact_lookup(asked, names, values)
        assert abs(found - answer * names.count(asked)) < 1e-9


# The delta rule

@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-99, 99)), min_size=1),
       st.integers(0, 99))
def test_orthonormal_keys_written_with_strength_1_are_a_dict(pairs, seed):
    basis, _ = torch.linalg.qr(draw(seed, 5, 5))
    numbers, values = zip(*pairs)
    key = basis[list(numbers)]
    value = torch.tensor(values, dtype=torch.float64)[:, None]
    one = torch.ones(len(pairs), 1, dtype=torch.float64)
    answers, memory = gated_delta_rule(key, key, value, one, one)
    torch.testing.assert_close(answers, value, **CLOSE)    # each read at once
    for number, last in dict(pairs).items():
        assert abs(read(memory, basis[[number]]).item() - last) < 1e-9


@given(st.integers(0, 99))
def test_what_is_read_at_once_is_what_was_written_whatever_else_is_there(seed):
    key, value, state = (F.normalize(draw(seed, 1, 3), dim=-1), draw(seed + 1, 1, 4),
                         draw(seed + 2, 3, 4))
    one = torch.ones(1, 1, dtype=torch.float64)
    for strength in (one, one / 4):
        new = delta_write(state, key, value, strength, one)
        wanted = strength * value + (1 - strength) * read(state, key)
        torch.testing.assert_close(read(new, key), wanted, **CLOSE)


@given(st.integers(0, 99), st.floats(0, 1))
def test_a_write_is_a_step_of_gradient_descent(seed, strength):
    """On half the squared error of reading; the rate is the strength."""
    key, value = draw(seed, 1, 3), draw(seed + 1, 1, 4)
    state = draw(seed + 2, 3, 4).requires_grad_()
    loss = 0.5 * (read(state, key) - value).square().sum()
    [gradient] = torch.autograd.grad(loss, state)
    one = torch.ones(1, 1, dtype=torch.float64)
    torch.testing.assert_close(delta_write(state, key, value, strength * one, one),
                               state - strength * gradient, **CLOSE)


@pytest.mark.parametrize("rule", [gated_delta_rule, gated_delta_block])
@pytest.mark.parametrize("sizes", [((), 5, 3, 2), ((), 1, 4, 3), ((), 6, 1, 1)])
def test_the_gated_delta_rule_equals_a_loop_over_numbers(sizes, rule):
    inputs = memory_case(*sizes)
    compared(rule(*inputs), by_loop(*inputs), inputs)


@pytest.mark.parametrize("rule", [gated_delta_rule, gated_delta_block])
@pytest.mark.parametrize("size", BLOCKS)
@pytest.mark.parametrize("sizes", SIZES)
def test_blocks_of_any_size_equal_steps(sizes, size, rule):
    """Also of one word, as a cache has it, and where the last block is shorter."""
    *parts, state = inputs = memory_case(*sizes)
    compared(in_blocks(rule, size, *parts, state=state), gated_delta_rule(*inputs),
             inputs)


@pytest.mark.parametrize("rule", [gated_delta_rule, gated_delta_block])
def test_a_gate_of_0_forgets_everything(rule):
    query, key, value, strength, gate, state = memory_case((2,), 9, 3, 4)
    shut = gate.detach().clone()
    shut[:, 4] = 0
    shut.requires_grad_()
    inputs = [query, key, value, strength, shut, state]
    answers, memory = rule(*inputs)
    later, fresh = rule(*(part[:, 4:] for part in (query, key, value, strength, gate)))
    torch.testing.assert_close(answers[:, 4:], later, **CLOSE)
    torch.testing.assert_close(memory, fresh, **CLOSE)
    assert torch.autograd.grad(memory.sum(), state,
                               retain_graph=True)[0].count_nonzero() == 0
    compared((answers, memory), gated_delta_rule(*inputs), inputs)


@pytest.mark.parametrize("rule", [linear_attention, gated_delta_rule,
                                  gated_delta_block])
def test_no_word_finds_what_is_written_later(rule):
    parts = memory_case((2,), 6, 3, 4)[:3 if rule is linear_attention else 5]
    answers = rule(*parts)[0]
    changed = [part.detach().clone() for part in parts]
    for part in changed:
        part[:, 3:] = part[:, 3:] / 2
    again = rule(*changed)[0]
    torch.testing.assert_close(again[:, :3], answers[:, :3], **CLOSE)
    assert (again[:, 3:] - answers[:, 3:]).abs().amin() > 1e-6


def test_orthonormal_keys_written_once_make_all_memories_equal():
    key = torch.linalg.qr(draw(0, 6, 6))[0][:5]
    value, one = draw(1, 5, 4), torch.ones(5, 1, dtype=torch.float64)
    summed = linear_attention(key, key, value)
    torch.testing.assert_close(gated_delta_block(key, key, value, one, one), summed,
                               **CLOSE)
    torch.testing.assert_close(summed[0], value, **CLOSE)


def test_a_block_without_words_is_refused():
    parts = memory_case((), 3, 2, 2)[:3]
    with pytest.raises(ValueError, match="at least 1 word; got a size of 0"):
        in_blocks(linear_attention, 0, *parts)


# Against Hugging Face's

@pytest.fixture(scope="module")
def theirs():
    pytest.importorskip(
        "transformers", reason="the library transformers, with whose gated delta rule "
        "this one is compared, is not installed: pip install transformers")
    return importlib.import_module(
        "transformers.models.qwen3_next.modeling_qwen3_next")


@pytest.mark.parametrize("T", [1, 5, 64, 67, 130])
@pytest.mark.parametrize("name", ["torch_recurrent_gated_delta_rule",
                                  "torch_chunk_gated_delta_rule"])
def test_it_equals_the_functions_of_qwen3_next(theirs, name, T):
    """They compute in float32, divide queries by the root of K, take the gate's
    logarithm, and have heads behind words."""
    B, H, K, D = 2, 3, 8, 5
    query, key, value, strength, gate, state = (
        part.detach() for part in memory_case((B, H), T, K, D))
    behind = [part.transpose(1, 2) for part in (query * K ** 0.5, key, value)]
    flat = [part.squeeze(-1).transpose(1, 2) for part in (gate.log(), strength)]
    answers, memory = getattr(theirs, name)(
        *behind, *flat, initial_state=state, output_final_state=True)
    # in chunks it takes differences of summed logarithms: a few millionths
    near = {"rtol": 1e-6, "atol": 3e-5, "check_dtype": False}
    for rule, size in ((gated_delta_rule, T), (gated_delta_block, T),
                       (gated_delta_block, 7), (gated_delta_block, 1)):
        mine, left = in_blocks(rule, size, query, key, value, strength, gate,
                               state=state)
        torch.testing.assert_close(mine, answers.transpose(1, 2), **near)
        torch.testing.assert_close(left, memory, **near)


@pytest.mark.parametrize("name", ["olmo_hybrid", "qwen3_next"])
def test_a_whole_model_gives_its_logits_with_this_rule_in_its_place(
        theirs, monkeypatch, name):
    """Of random weights: read at once, and word by word with its cache."""
    def rule(query, key, value, g, beta, initial_state=None, output_final_state=False,
             use_qk_l2norm_in_kernel=False, **more):
        calls.append(query.shape[1])
        group = value.shape[2] // key.shape[2]    # heads for values share a key
        query, key = (part.repeat_interleave(group, dim=2).transpose(1, 2)
                      for part in (query, key))
        if use_qk_l2norm_in_kernel:
            query, key = (theirs.l2norm(part) for part in (query, key))
        answers, state = in_blocks(
            gated_delta_block, 5, query / query.shape[-1] ** 0.5, key,
            value.transpose(1, 2), beta.mT[..., None], g.exp().mT[..., None],
            state=initial_state)
        return answers.transpose(1, 2), state

    module = importlib.import_module(f"transformers.models.{name}.modeling_{name}")
    transformers = importlib.import_module("transformers")
    kind = {"olmo_hybrid": "OlmoHybrid", "qwen3_next": "Qwen3Next"}[name]
    sizes = {"olmo_hybrid": {}, "qwen3_next": {
        "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8,
        "shared_expert_intermediate_size": 8, "head_dim": 8, "linear_key_head_dim": 6,
        "linear_value_head_dim": 4, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4}}[name]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = getattr(transformers, f"{kind}ForCausalLM")(getattr(
            transformers, f"{kind}Config")(
                vocab_size=11, hidden_size=24, intermediate_size=12,
                num_hidden_layers=4, num_attention_heads=3, num_key_value_heads=3,
                pad_token_id=None, eos_token_id=None, **sizes)).eval()
        with torch.no_grad():    # far from where a training begins
            for part in model.parameters():
                part += 0.1 * torch.randn_like(part)
    ids = torch.randint(11, (2, 13), generator=torch.Generator().manual_seed(1))

    @torch.no_grad()
    def logits():
        whole, kept, steps = model(ids).logits, None, []
        for word in ids.split(1, dim=1):
            out = model(word, past_key_values=kept, use_cache=True)
            kept = out.past_key_values
            steps.append(out.logits)
        return whole, torch.cat(steps, dim=1)

    calls, wanted = [], logits()
    for place in ("torch_chunk_gated_delta_rule", "torch_recurrent_gated_delta_rule"):
        monkeypatch.setattr(module, place, rule)
    assert not calls
    torch.testing.assert_close(logits(), wanted, rtol=1e-4, atol=1e-4)
    assert calls[:3] == [13, 13, 13] and len(calls) == 3 * 14    # three such layers
