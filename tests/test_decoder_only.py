"""decoder_only: against Hugging Face's GPT-2 and Llama with copied weights, values and
gradients; against its parts, and by what may not matter."""

from dataclasses import replace
from functools import partial
from itertools import takewhile

import notebooks as files
import pytest
import torch
from books import ROOT
from copied import differences, draw
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import attention
from softdict.decoder_only import (
    LLAMA, PAIRINGS, DecoderOnly, DecoderOnlyConfig, GELUFeedForward, RMSNorm, SwiGLU,
    apply_rotary, generate, pads_in_front)
from softdict.layers import rotate
from softdict.masks import causal_mask
from softdict.sampling import next_word
from softdict.saving.hf_format import from_library

B, T, V, D, H = 2, 5, 11, 12, 3
AWKWARD = {"vocab_size": V, "width": D, "heads": H, "kv_heads": H, "layers": 2,
           "hidden": 7, "context_length": 16}
GPT2 = DecoderOnlyConfig(**AWKWARD)
TODAY = DecoderOnlyConfig(**{**AWKWARD, **LLAMA, "kv_heads": 1})
kinds = pytest.mark.parametrize("config", [GPT2, TODAY], ids=["gpt2", "llama"])
SIZES = [    # vocab_size, heads, key heads, numbers a head, layers, hidden
    (11, 3, 1, 4, 2, 7), (17, 6, 2, 2, 3, 20), (5, 2, 2, 6, 1, 3), (30, 4, 1, 8, 2, 33)]


def make(config, seed=0):
    """A model in float64 whose weights are far from where a training begins."""
    torch.manual_seed(seed)
    model = DecoderOnly(config).double().eval()
    with torch.no_grad():
        for number, part in enumerate(model.parameters()):
            part += 0.3 * draw(100 * seed + number, *part.shape)
    return model


def some_ids(rows=B, length=T, words=V, seed=1):
    return torch.randint(words, (rows, length),
                         generator=torch.Generator().manual_seed(seed))


# Against Hugging Face's

@pytest.fixture(scope="module")
def transformers():
    return pytest.importorskip(
        "transformers", reason="the library transformers, against which the model is "
        "proved, is not installed: pip install transformers")


def theirs(transformers, family, sizes, attend="sdpa", seed=0, **options):
    """A model of the library in float64, every weight moved, and our Config of it."""
    torch.manual_seed(seed)
    V, H, G, K, layers, hidden = sizes
    if family == "gpt2":
        G = H
        told = transformers.GPT2Config(
            vocab_size=V, n_embd=H * K, n_layer=layers, n_head=H, n_positions=24,
            n_inner=hidden, bos_token_id=None, eos_token_id=None,
            attn_implementation=attend, **options)
        model = transformers.GPT2LMHeadModel(told)
    else:
        told = transformers.LlamaConfig(
            vocab_size=V, hidden_size=H * K, intermediate_size=hidden,
            num_hidden_layers=layers, num_attention_heads=H, num_key_value_heads=G,
            max_position_embeddings=24, rope_theta=500.0, rms_norm_eps=1e-4,
            bos_token_id=None, eos_token_id=None, attn_implementation=attend, **options)
        model = transformers.LlamaForCausalLM(told)
    model = model.double().eval()
    with torch.no_grad():
        for number, part in enumerate(model.parameters()):
            part += 0.2 * draw(100 * seed + number, *part.shape)
    config = DecoderOnlyConfig(V, H * K, H, G, layers, hidden, 24,
                               tied=told.tie_word_embeddings)
    if family == "llama":
        config = replace(config, eps=1e-4, theta=500.0, bias=told.mlp_bias, **{
            name: LLAMA[name] for name in ("positions", "norm", "feed_forward")})
    return model, config


def copied(family, model, config):
    """Our model with the weights of theirs."""
    ours = DecoderOnly(config).double().eval()
    ours.load_state_dict(from_library(family, ours, model.state_dict()))
    return ours


def pads(side, length=9):
    """Where three texts of 9, 6 and 1 words have words: real [B, T]."""
    lengths = torch.tensor([9, 6, 1] if side else [9, 9, 9])
    real = torch.arange(length) < lengths[:, None]
    return real.flip(1) if side == "left" else real


def logits_of(model, library, ids, real, steps):
    """Scores of all words, read at once or the last ones one by one with a cache."""
    places = (real.cumsum(1) - 1).clamp(min=0)
    ends = [ids.shape[1] - steps + step for step in range(steps + 1)]
    cache = None if library or not steps else model.start()
    found, begin = [], 0
    for end in ends:
        new = slice(begin, end)
        if library:
            out = model(ids[:, new], attention_mask=real[:, :end].long(),
                        position_ids=places[:, new], past_key_values=cache,
                        use_cache=steps > 0)
            cache = out.past_key_values
            found.append(out.logits)
        else:
            found.append(model(ids[:, new], real[:, :end], cache))
        begin = end
    return torch.cat(found, dim=1)


def apart(transformers, family, sizes, side=None, steps=0, **options):
    """Largest differences of values and of gradients, ours and theirs."""
    model, config = theirs(transformers, family, sizes, **options)
    ours = copied(family, model, config)
    ids, real = some_ids(3, 9, sizes[0]), pads(side)
    values = [logits_of(one, library, ids, real, steps)[real]
              for one, library in ((ours, False), (model, True))]
    assert values[1].std() > 0.05
    for logits in values:
        nn.functional.cross_entropy(logits, ids.roll(-1)[real]).backward()
    wanted = from_library(family, ours, {
        name: part.grad for name, part in model.named_parameters()})
    gradients = [(part.grad - wanted[name]).abs().max()
                 for name, part in ours.named_parameters()]
    assert len(gradients) > 5
    return [part.item() for part in ((values[0] - values[1]).abs().max(),
                                     torch.stack(gradients).max())]


sides = pytest.mark.parametrize("side", [None, "left", "right"])
steps = pytest.mark.parametrize("steps", [0, 4], ids=["whole", "cached"])
sizes = pytest.mark.parametrize("sizes", SIZES, ids=str)
attends = pytest.mark.parametrize("attend", ["sdpa", "eager"])


@sides
@steps
@sizes
@attends
def test_gpt2_equals_hugging_faces(transformers, sizes, attend, side, steps):
    assert max(apart(transformers, "gpt2", sizes, side, steps, attend=attend)) < 1e-10


# Llama's three casts to float32, and what stands there without them

def norm_in_float64(norm, x):
    root = (x.square().mean(-1, keepdim=True) + norm.variance_epsilon).sqrt()
    return norm.weight * (x / root)


def angles_in_float64(rotary, x, position_ids):
    config = rotary.config
    slower = torch.arange(0, config.head_dim, 2, dtype=x.dtype) / config.head_dim
    angles = (position_ids[..., None]
              / config.rope_parameters["rope_theta"] ** slower).repeat(1, 1, 2)
    return angles.cos(), angles.sin()


def without_casts(monkeypatch, names):
    from transformers.models.llama import modeling_llama

    softmax = nn.functional.softmax
    casts = {"norm": (modeling_llama.LlamaRMSNorm, "forward", norm_in_float64),
             "angles": (modeling_llama.LlamaRotaryEmbedding, "forward",
                        angles_in_float64),
             "softmax": (nn.functional, "softmax",
                         lambda x, dim, dtype=None: softmax(x, dim=dim))}
    for name in names:
        monkeypatch.setattr(*casts[name])


CASTS = {"sdpa": ["norm", "angles"], "eager": ["norm", "angles", "softmax"]}


@sides
@steps
@sizes
@attends
def test_llama_equals_hugging_faces(transformers, monkeypatch, sizes, attend, side,
                                    steps):
    # in float64 the library's eager softmax makes a row of pads nan: its mask holds the
    # smallest float64, which is minus infinity in float32
    if (attend, side) != ("eager", "left"):
        assert max(apart(transformers, "llama", sizes, side, steps,
                         attend=attend)) < 1e-5
    without_casts(monkeypatch, CASTS[attend])
    assert max(apart(transformers, "llama", sizes, side, steps, attend=attend)) < 1e-10


@pytest.mark.parametrize("cast", CASTS["eager"])
def test_each_of_the_three_casts_is_found(transformers, monkeypatch, cast):
    without_casts(monkeypatch, set(CASTS["eager"]) - {cast})
    assert apart(transformers, "llama", SIZES[1], attend="eager")[0] > 1e-10


@pytest.mark.parametrize("options", [
    {"tie_word_embeddings": True}, {"attention_bias": True, "mlp_bias": True}], ids=str)
def test_other_llamas_equal_hugging_faces(transformers, monkeypatch, options):
    without_casts(monkeypatch, CASTS["sdpa"])
    assert max(apart(transformers, "llama", SIZES[1], "left", **options)) < 1e-10


def test_an_untied_gpt2_equals_hugging_faces(transformers):
    assert max(apart(transformers, "gpt2", SIZES[1], "left",
                     tie_word_embeddings=False)) < 1e-10


def test_drawn_sizes_equal_hugging_faces(transformers, monkeypatch):
    without_casts(monkeypatch, CASTS["sdpa"])
    few = st.integers(1, 4)

    @settings(max_examples=12, deadline=None, derandomize=True)
    @given(st.integers(4, 20), few, few, few, st.integers(1, 3), st.integers(1, 9),
           st.sampled_from([None, "left", "right"]), st.integers(0, 8))
    def check(V, G, group, pairs, layers, hidden, side, steps):
        sizes = V, G * group, G, 2 * pairs, layers, hidden
        for family in ("gpt2", "llama"):
            assert max(apart(transformers, family, sizes, side, steps)) < 1e-10
    check()


@pytest.mark.parametrize("family", ["gpt2", "llama"])
@pytest.mark.parametrize("ends", [0, 1, 2])
def test_texts_are_written_as_hugging_face_writes_them(transformers, monkeypatch,
                                                       family, ends):
    """Token for token, pads in front, and one text after the other has ended."""
    without_casts(monkeypatch, CASTS["sdpa"])
    # untied: with one table, a model with random weights repeats itself
    model, config = theirs(transformers, family, (30, 6, 2, 4, 2, 20),
                           seed=35, tie_word_embeddings=False)
    ours = copied(family, model, config)
    texts = [ids.tolist()[:size] for ids, size in zip(some_ids(3, 9, 30), (9, 1, 4))]
    written = generate(ours, texts, 12)
    assert len({word for text in written for word in text}) > 6
    stops = tuple(text[place] for text, place in zip(written, (3, 7)))[:ends]
    ids, real = pads_in_front(texts)
    found = model.generate(ids, attention_mask=real.long(), max_new_tokens=12,
                           do_sample=False, pad_token_id=0,
                           eos_token_id=list(stops) or None)[:, ids.shape[1]:]
    wanted = [list(takewhile(lambda word: word not in stops, row))
              for row in found.tolist()]
    assert generate(ours, texts, 12, eos_ids=stops) == wanted
    assert ends == 0 or min(map(len, wanted)) < 8


# What may not matter, and what must

@kinds
def test_no_word_knows_a_later_one(config):
    model, ids = make(config), some_ids()
    for place in range(T):
        other = ids.clone()
        other[:, place] = (ids[:, place] + 1) % V
        same = torch.isclose(model(ids), model(other), rtol=0, atol=1e-12).all(-1)
        assert same[:, :place].all() and not same[:, place].any()


@kinds
def test_gradients_go_back_and_never_forward(config):
    model, seen = make(config), []
    model.embedding.register_forward_hook(
        lambda part, given, x: seen.append(x.requires_grad_()) or x.retain_grad())
    for place in range(T):
        model.zero_grad()
        model(some_ids())[:, place].square().sum().backward()
        reached = seen.pop().grad.abs().sum(-1) > 0
        assert reached[:, :place + 1].all() and not reached[:, place + 1:].any()


@kinds
@pytest.mark.parametrize("side", ["left", "right"])
def test_pads_and_other_texts_do_not_matter(config, side):
    model, ids, real = make(config), some_ids(3, 9), pads(side)
    logits = model(ids, real)
    strange = torch.where(real, ids, (ids + 3) % V)    # other ids in the place of pads
    torch.testing.assert_close(model(strange, real)[real], logits[real],
                               rtol=0, atol=1e-12)
    for text, row, kept in zip(ids, logits, real):
        torch.testing.assert_close(model(text[kept][None])[0], row[kept],
                                   rtol=0, atol=1e-12)
    if side == "left":    # the mask matters: without it pads are words
        assert not torch.allclose(model(ids)[real], logits[real], atol=1e-2)


@kinds
def test_a_text_of_pads_alone_disturbs_no_other(config):
    model, ids = make(config), some_ids()
    real = torch.tensor([[False] * T, [True] * T])
    logits = model(ids, real)
    assert logits.isfinite().all()
    torch.testing.assert_close(logits[1], model(ids[1:])[0], rtol=0, atol=1e-12)
    logits[1].square().sum().backward()
    assert all(part.grad.isfinite().all() for part in model.parameters())


@kinds
@pytest.mark.parametrize("cuts", [[1, 1, 1, 1, 1], [2, 3], [4, 1], [1, 3, 1]], ids=str)
@pytest.mark.parametrize("side", [None, "left"])
def test_cached_equals_uncached(config, cuts, side):
    model, ids = make(config), some_ids(3)
    real = pads(side)[:, -T:]
    cache, found, end = model.start(), [], 0
    for size in cuts:
        end += size
        found.append(model(ids[:, end - size:end], real[:, :end], cache))
    assert cache.length == T
    torch.testing.assert_close(torch.cat(found, 1)[real], model(ids, real)[real],
                               rtol=0, atol=1e-12)


def test_a_cache_keeps_what_a_group_shares():
    """As many numbers a word as the published models keep: Ainslie et al. 2023."""
    sizes = {"vocab_size": 4, "hidden": 4, "context_length": 4, **LLAMA}
    with torch.device("meta"):
        for layers, width, heads, kv_heads, numbers in (
                (32, 4096, 32, 32, 262_144),    # Llama 2, 7B
                (32, 4096, 32, 8, 65_536)):     # Llama 3, 8B
            model = DecoderOnly(DecoderOnlyConfig(
                width=width, heads=heads, kv_heads=kv_heads, layers=layers, **sizes))
            cache = model.start()
            model(torch.zeros(1, 1).long(), cache=cache)
            assert sum(part.numel() for pair in cache.past for part in pair) == numbers


# layers, width of all heads, heads, heads with a key: tables of the papers that chapter
# 18 names; Llama 3 is 3.1, Mistral 7B is 0.1, Gemma is the first
PUBLISHED = {"GPT-3, 175B": (96, 12288, 96, 96), "Llama, 65B": (80, 8192, 64, 64),
             "Llama 3, 405B": (126, 16384, 128, 8), "Llama 3, 8B": (32, 4096, 32, 8),
             "Mistral, 7B": (32, 4096, 32, 8), "Qwen3, 8B": (36, 4096, 32, 8),
             "PaLM, 540B": (118, 12288, 48, 1), "Gemma, 2B": (18, 2048, 8, 1)}
LATENT = {"DeepSeek-V2": 60, "DeepSeek-V3": 61}    # layers


def test_the_ten_caches_of_chapter_18_are_those_of_the_published_sizes(capsys):
    cells = {cell.id: cell
             for cell in files.read(ROOT / "notebooks/18_cache.ipynb").cells}
    chapter = {}
    for name in "latent-configs", "latent-table":
        exec(cells[name].source, chapter)
    found = {row[:15].strip(): row[28:].split()
             for row in capsys.readouterr().out.split("\n")[1:] if row}
    assert found.keys() == PUBLISHED.keys() | LATENT.keys()
    sizes = {"vocab_size": 4, "hidden": 4, "context_length": 4, **LLAMA}
    for name, (layers, width, heads, kv_heads) in PUBLISHED.items():
        with torch.device("meta"):
            model = DecoderOnly(DecoderOnlyConfig(
                width=width, heads=heads, kv_heads=kv_heads, layers=1, **sizes))
            cache = model.start()
            model(torch.zeros(1, 1).long(), cache=cache)
        numbers = layers * sum(part.numel() for part in cache.past[0])
        assert found[name] == [f"{2 * numbers:,}", f"{numbers / 2 ** 14:.2f}",
                               f"{heads / kv_heads:.1f}"], name
    for name, layers in LATENT.items():    # V2, section 2.1.4: as 2.25 groups of 128
        numbers = layers * 2.25 * 2 * 128
        assert found[name] == [f"{2 * numbers:,.0f}", f"{numbers / 2 ** 14:.2f}",
                               f"{128 / 2.25:.1f}"], name


def test_grouped_queries_equal_repeated_keys():
    grouped = make(DecoderOnlyConfig(**{**AWKWARD, **LLAMA, "width": 24, "heads": 6,
                                        "kv_heads": 2}))
    full = DecoderOnly(replace(grouped.config, kv_heads=6)).double().eval()
    state = grouped.state_dict()
    for name in state:
        if ".key." in name or ".value." in name:    # [G*K, D]: each head thrice
            state[name] = state[name].unflatten(0, (2, 4)).repeat_interleave(
                3, dim=0).flatten(0, 1)
    full.load_state_dict(state)
    ids = some_ids()
    torch.testing.assert_close(full(ids), grouped(ids), rtol=0, atol=1e-12)


# Rotary positions

def permuted(weight, heads):
    """Rows of queries or keys for pairs (i, i + K/2), from those for (2i, 2i + 1)."""
    return weight.unflatten(0, (heads, -1, 2)).transpose(1, 2).reshape(weight.shape)


def test_both_pairings_are_one_after_rows_are_permuted_and_two_before():
    inter = make(DecoderOnlyConfig(**{**AWKWARD, **LLAMA, "kv_heads": 1,
                                      "pairing": "interleaved"}))
    halves = DecoderOnly(replace(inter.config, pairing="halves")).double().eval()
    state = inter.state_dict()
    halves.load_state_dict(state)
    ids = some_ids()
    near = torch.isclose(halves(ids), inter(ids), rtol=0, atol=1e-2).all(-1)
    assert near[:, 0].all() and not near[:, 1:].any()    # position 0 hides the mistake
    for name in state:
        if ".query." in name or ".key." in name:
            state[name] = permuted(state[name], 3 if ".query." in name else 1)
    halves.load_state_dict(state)
    torch.testing.assert_close(halves(ids), inter(ids), rtol=0, atol=1e-12)


def angles(positions, K, theta=10000.0):
    return positions[:, None] / theta ** (torch.arange(0, K, 2).double() / K)


def test_interleaved_is_the_rotary_of_the_layers():
    x, positions = draw(1, B, H, T, 6), torch.arange(T).double()
    torch.testing.assert_close(apply_rotary(x, angles(positions, 6), "interleaved"),
                               rotate(x, positions), rtol=0, atol=1e-14)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_pairs_are_turned_as_complex_numbers_are(pairing):
    x, angle = draw(1, B, H, T, 8), angles(torch.arange(T).double(), 8)
    found = apply_rotary(x, angle, pairing)
    for pair in range(4):
        places = [pair, pair + 4] if pairing == "halves" else [2 * pair, 2 * pair + 1]
        number = torch.complex(*(x[..., place] for place in places))
        wanted = number * torch.polar(torch.ones(T).double(), angle[:, pair])
        for place, part in zip(places, (wanted.real, wanted.imag)):
            torch.testing.assert_close(found[..., place], part, rtol=0, atol=1e-14)


@pytest.mark.parametrize("pairing", PAIRINGS)
def test_scores_of_turned_pairs_depend_on_the_distance_alone(pairing):
    query, key = draw(1, 1, 1, T, 6), draw(2, 1, 1, T, 6)
    scores = [apply_rotary(query, angles(positions, 6), pairing)
              @ apply_rotary(key, angles(positions, 6), pairing).mT
              for positions in (torch.arange(T).double(), torch.arange(90.0, 90 + T))]
    torch.testing.assert_close(*scores, rtol=0, atol=1e-12)


def test_positions_are_turned_by_the_base_of_the_config():
    ids = some_ids()
    one, other = (make(replace(TODAY, theta=theta)) for theta in (1e4, 50.0))
    assert not torch.allclose(one(ids), other(ids), atol=1e-3)


def test_half_precision_is_turned_in_float32():
    model = make(TODAY)
    ids, wanted = some_ids(1, 16), model(some_ids(1, 16))
    found = model.to(torch.bfloat16)(ids)
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.double(), wanted, rtol=0, atol=0.3)


# The parts

@pytest.mark.parametrize("eps", [1e-6, 1e-2])
@pytest.mark.parametrize("shape", [(D,), (B, T, D), (2, 1, 1, 5)], ids=str)
def test_rms_norm_equals_torchs(shape, eps):
    ours, torchs = RMSNorm(shape[-1], eps), nn.RMSNorm(shape[-1], eps)
    for one in (ours.double(), torchs.double()):
        one.weight.data = draw(2, shape[-1])
    x = 0.01 * draw(1, *shape)
    apart = differences(ours, torchs, [x])
    assert apart.max() < 1e-12
    grads = [torch.autograd.grad(one(x).square().sum(), one.weight)[0]
             for one in (ours, torchs)]
    torch.testing.assert_close(*grads, rtol=0, atol=1e-12)


def test_rms_norm_of_a_number_by_hand():
    """Mean square 1/4: the root is 1/2."""
    x = torch.tensor([1.0, 0, 0, 0])
    torch.testing.assert_close(RMSNorm(4, 0)(x), torch.tensor([2.0, 0, 0, 0]))
    large = (300 * draw(1, B, D).sign()).half()
    assert RMSNorm(D).half()(large).isfinite().all()    # 300 squared is none there
    assert RMSNorm(D)(torch.zeros(D)).count_nonzero() == 0


def test_feed_forwards_by_their_formulas():
    x, layer = draw(1, B, T, D), SwiGLU(D, 7).double()
    gate, up = layer.gate(x), layer.up(x)
    torch.testing.assert_close(layer(x), layer.down(gate * gate.sigmoid() * up))
    layer = GELUFeedForward(D, 7).double()
    torch.testing.assert_close(layer(x), layer.down(
        nn.GELU("tanh")(layer.up(x))))
    assert not torch.allclose(layer(x), layer.down(nn.GELU()(layer.up(x))),
                              atol=1e-6, rtol=0)


CHANGES = [{"norm": "rms"}, {"feed_forward": "swiglu"}, {"positions": "rotary"},
           {"kv_heads": 1}, {"bias": False}, {"tied": False}]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_each_part_can_be_exchanged_alone(change):
    """And the gradient of each weight is that of the loss."""
    model, ids = make(replace(GPT2, **change)), some_ids()
    assert not torch.allclose(model(ids), make(GPT2)(ids), atol=1e-3)

    def loss():
        return nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1),
                                           ids[:, 1:].flatten())

    direction = [draw(7 + n, *part.shape) for n, part in enumerate(model.parameters())]
    slope = sum((grad * way).sum() for grad, way in zip(
        torch.autograd.grad(loss(), list(model.parameters())), direction))
    ends = []
    with torch.no_grad():
        for step in (1e-6, -2e-6):
            for part, way in zip(model.parameters(), direction):
                part += step * way
            ends.append(loss())
    torch.testing.assert_close((ends[0] - ends[1]) / 2e-6, slope, rtol=1e-6, atol=1e-8)


def test_biases_stand_everywhere_or_nowhere():
    for config, count in ((GPT2, 2 * (6 + 2) + 1), (replace(TODAY, bias=True), 2 * 7),
                          (TODAY, 0)):
        named = [name for name, _ in DecoderOnly(config).named_parameters()]
        assert sum(name.endswith("bias") for name in named) == count


def test_parameters_are_as_many_as_the_published_models_have():
    llama = partial(DecoderOnlyConfig, **LLAMA)
    known = [(DecoderOnlyConfig(50257, 768, 12, 12, 12, 3072, 1024), 124_439_808),
             (llama(32000, 4096, 32, 32, 32, 11008, 4096), 6_738_415_616),
             (llama(128256, 4096, 32, 8, 32, 14336, 8192), 8_030_261_248)]
    for config, count in known:
        with torch.device("meta"):
            model = DecoderOnly(config)
        assert sum(part.numel() for part in model.parameters()) == count


def test_a_training_begins_with_small_weights():
    torch.manual_seed(0)
    model = DecoderOnly(DecoderOnlyConfig(100, 64, layers=8))
    assert model.embedding.weight.std().item() == pytest.approx(0.02, rel=0.1)
    for part in (model.layers[3].attention.out, model.layers[5].feed_forward.down):
        assert part.weight.std().item() == pytest.approx(0.005, rel=0.1)
        assert part.bias.count_nonzero() == 0
    ids = some_ids(4, 50, 100)
    loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1),
                                       ids[:, 1:].flatten())
    assert loss.item() == pytest.approx(torch.tensor(100.0).log().item(), abs=0.1)


@kinds
def test_the_readers_own_attention_is_used(config):
    ids, calls = some_ids(), []

    def counted(*given):
        calls.append(len(given))
        return attention(*given)

    torch.testing.assert_close(make(replace(config, attend=counted))(ids),
                               make(config)(ids), rtol=0, atol=1e-12)
    assert calls == [4, 4]


@kinds
def test_every_tensor_is_made_where_the_words_are(config):
    with torch.device("meta"):
        model, ids = DecoderOnly(config), torch.ones(B, T).long()
    cache = model.start()
    assert model(ids, cache=cache).is_meta and model(ids[:, :1], cache=cache).is_meta
    assert cache.length == T + 1


@kinds
def test_documents_in_one_row_are_as_if_alone(config):
    """Packing: positions from 0 in each document, and no look into another."""
    model, ids = make(config), some_ids(1, 9)
    document = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1, 1])
    allowed = (document[:, None] == document) & causal_mask(9)
    positions = torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4]])
    found = model.generator(model.states(ids, positions, allowed))
    torch.testing.assert_close(found, torch.cat(
        [model(ids[:, :4]), model(ids[:, 4:])], dim=1), rtol=0, atol=1e-12)


def test_dropout_acts_in_training_alone():
    model, ids = make(replace(TODAY, dropout=0.4)), some_ids()
    assert torch.equal(model(ids), make(TODAY)(ids))
    model.train()
    assert not torch.equal(model(ids), model(ids))


def test_what_is_printed_tells_the_models_apart():
    kept = [str(DecoderOnly(config)) for config in (
        GPT2, replace(GPT2, kv_heads=1), TODAY, replace(TODAY, theta=5e5),
        replace(TODAY, pairing="interleaved"))]
    assert len(set(kept)) == len(kept)


@pytest.mark.parametrize("change, message", [
    ({"width": 13}, "width must be a multiple of heads; got width 13 and 3 heads"),
    ({"heads": 0}, "width must be a multiple of heads"),
    ({"kv_heads": 2}, "heads must be a multiple of kv_heads; got 3 heads and 2"),
    ({"width": 9, "positions": "rotary"}, "head's width must be even; got 3"),
    ({"positions": "sines"}, "positions must be one of learned, rotary; got 'sines'"),
    ({"norm": "batch"}, "norm must be one of layer, rms; got 'batch'"),
    ({"pairing": "thirds"}, "pairing must be one of halves, interleaved"),
    ({"feed_forward": "relu"}, "feed_forward must be one of gelu, swiglu")], ids=str)
def test_a_config_that_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(GPT2, **change)


def test_more_words_than_positions_are_refused():
    model = make(GPT2)
    model(some_ids(1, 16))
    with pytest.raises(ValueError, match="the model has 16 positions; got 17 words"):
        model(some_ids(1, 17))
    cache = model.start()
    model(some_ids(1, 16), cache=cache)
    with pytest.raises(ValueError, match="got 17 words"):
        model(some_ids(1, 1), cache=cache)
    assert make(TODAY)(some_ids(1, 17)).shape == (1, 17, V)


def test_a_mask_without_the_words_in_the_cache_is_refused():
    model = make(TODAY)
    cache, real = model.start(), torch.ones(B, T).bool()
    model(some_ids(), real, cache)
    with pytest.raises(ValueError, match=r"\[B, S\] with S=6.*counted; got \[2, 1\]"):
        model(some_ids()[:, :1], real[:, :1], cache)


# Generation

@kinds
def test_texts_of_a_batch_are_written_as_each_alone(config):
    model, texts = make(config), [[1, 2, 3], [4], [5, 6, 7, 8, 9]]
    together = generate(model, texts, 9)
    assert together == [generate(model, [text], 9)[0] for text in texts]
    for text, new in zip(texts, together):    # and as without a cache
        for word in new:
            assert model(torch.tensor([text]))[0, -1].argmax() == word
            text = text + [word]
    assert texts == [[1, 2, 3], [4], [5, 6, 7, 8, 9]]


@kinds
def test_a_text_that_grows_too_long_is_read_anew_from_its_middle(config):
    model, [new] = make(config), generate(make(config), [[3, 1, 4]], 40)
    text, seen = [3, 1, 4], [3, 1, 4]
    for word in new:
        if len(seen) > 16:
            seen = seen[-8:]
        assert model(torch.tensor([seen]))[0, -1].argmax() == word
        text, seen = text + [word], seen + [word]
    assert len(new) == 40 and generate(model, [text[:26]], 17) == [new[23:]]


def test_a_long_prompt_is_read_from_its_last_half():
    model, text = make(TODAY), some_ids(1, 40)[0].tolist()
    assert generate(model, [text], 5) == generate(model, [text[-8:]], 5)


def test_texts_end_before_an_end():
    model, texts = make(TODAY), [[1, 2, 3], [4]]
    free = generate(model, texts, 12)
    ends = (free[0][4], free[1][2])
    wanted = [list(takewhile(lambda word: word not in ends, row)) for row in free]
    steps = []
    model.register_forward_hook(lambda *given: steps.append(1))
    assert generate(model, texts, 12, eos_ids=ends) == wanted != free
    assert len(steps) == 1 + max(map(len, wanted)) < 12    # nothing is written behind
    assert generate(model, texts, 0) == [[], []]


def test_no_text_to_go_on_from_is_refused():
    for texts in ([], [[]], [[1], []]):
        with pytest.raises(ValueError, match="there is no word to go on from"):
            generate(make(GPT2), texts)


def test_pads_stand_in_front():
    ids, real = pads_in_front([[7, 8], [9], [4, 5, 6]])
    assert ids.tolist() == [[0, 7, 8], [0, 0, 9], [4, 5, 6]]
    assert real.tolist() == [[False, True, True], [False, False, True], [True] * 3]


def test_drawing_repeats_with_its_seed_and_the_best_alone_is_greedy():
    model, texts = make(GPT2), [[1, 2], [3]]
    runs = [generate(model, texts, 10, partial(
        next_word, rng=torch.Generator().manual_seed(seed))) for seed in (0, 0, 1)]
    assert runs[0] == runs[1] != runs[2]
    assert generate(model, texts, 10, partial(next_word, top_k=1)) == generate(
        model, texts, 10)
