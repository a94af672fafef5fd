"""The two machines of one_file, beside PyTorch's, the package's and Hugging Face's."""

import ast
import math
import runpy
from types import SimpleNamespace

import notebooks
import pytest
import torch
from books import ROOT
from softdict import layers, transformer
from softdict.decoder_only import LLAMA, DecoderOnly, DecoderOnlyConfig
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant
from torch import nn

FILES = sorted((ROOT / "one_file").glob("*.py"))
LINES, COLUMNS = 120, 88
ALLOWED = {"math", "functools", "torch"}
close = torch.testing.assert_close
exactly = {"rtol": 1e-10, "atol": 1e-10}


def load(name):
    """What a file defines; `if __name__` keeps it from training."""
    return SimpleNamespace(**runpy.run_path(str(ROOT / f"one_file/{name}.py")))


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def moved(model):
    """The model in float64, no number as at its start: no gain is 1, no bias 0."""
    model = model.double()
    with torch.no_grad():
        for part in model.parameters():
            part.add_(0.3 * torch.randn_like(part))
    return model


def gradients(logits, weights):
    torch.manual_seed(1)
    direction = torch.randn_like(logits)
    return torch.autograd.grad((logits * direction).sum(), weights)


# As files

def faults(text):
    """What is against a file that is to be read and typed alone."""
    imported = {name.name.partition(".")[0] for node in ast.walk(ast.parse(text))
                if isinstance(node, (ast.Import, ast.ImportFrom)) for name in (
                    node.names if isinstance(node, ast.Import)
                    else [ast.alias(node.module or "softdict")])}
    lines = text.splitlines()
    return [*(["too long"] if len(lines) > LINES else []),
            *(["too wide"] if max(map(len, lines)) > COLUMNS else []),
            *sorted(imported - ALLOWED)]


def test_there_are_two():
    assert [path.stem for path in FILES] == ["decoder", "transformer"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_is_short_and_needs_torch_alone(path):
    assert faults(path.read_text("utf-8")) == []


def test_what_is_too_long_too_wide_or_needs_more_is_told():
    assert faults("x = 1\n" * 121) == ["too long"]
    assert faults("x" * 89) == ["too wide"]
    for line, name in (("import softdict.heads", "softdict"), ("import numpy", "numpy"),
                       ("from softdict import heads", "softdict"),
                       ("from . import heads", "softdict"),
                       ("def f():\n    import json", "json")):
        assert faults(line) == [name]


@pytest.mark.parametrize("name, chapter", [("transformer", "14_transformer"),
                                           ("decoder", "22_today")])
def test_its_chapter_leads_to_it(name, chapter):
    """By the address of the repository, which works on the site and on Colab too."""
    url, branch = notebooks.repository()
    chapter = (ROOT / f"notebooks/{chapter}.ipynb").read_text("utf-8")
    assert f"]({url}/blob/{branch}/one_file/{name}.py)" in chapter


@pytest.mark.parametrize("name, updates", [("transformer", "range(1, 601)"),
                                           ("decoder", "range(400)")])
def test_each_learns_and_writes(name, updates, capsys):
    """Its last part, with fewer updates."""
    source = (ROOT / f"one_file/{name}.py").read_text("utf-8")
    assert source.count(updates) == 1
    few = updates.replace("601", "41").replace("400", "40")
    exec(compile(source.replace(updates, few), name, "exec"), {"__name__": "__main__"})
    losses = [float(line.rpartition("loss ")[2]) for line in
              capsys.readouterr().out.replace("\r", "\n").split("\n") if "loss" in line]
    assert len(losses) == 40 and max(losses[-5:]) < 0.9 * losses[0]


# The Transformer of 2017

WORDS, SIZES = 11, {"width": 12, "heads": 3, "layers": 2, "hidden": 20, "dropout": 0.0}
SOURCE = torch.tensor([[3, 4, 5, 6, 7, 8, 9], [4, 9, 3, 0, 0, 0, 0],
                       [10, 0, 0, 0, 0, 0, 0]])
TARGET = torch.tensor([[1, 5, 6, 7, 3], [1, 8, 0, 0, 0], [1, 2, 4, 4, 0]])


def of_2017():
    return moved(load("transformer").Transformer(WORDS, **SIZES))


ATTENTIONS = {"self_attention": "self_attn", "cross_attention": "multihead_attn"}
LINEAR = {"feed_forward.0": "linear1", "feed_forward.2": "linear2"}


def torch_machine(ours):
    """PyTorch's, without the norms behind its stacks, and pairs of weights: ours and
    theirs."""
    sizes = {"d_model": 12, "nhead": 3, "dim_feedforward": 20, "dropout": 0.0,
             "batch_first": True}
    theirs = nn.Transformer(**sizes, num_encoder_layers=2,
                            num_decoder_layers=2).double()
    theirs.encoder.norm = theirs.decoder.norm = None    # the paper has none
    pairs = []
    for mine, other in [*zip(ours.encoder, theirs.encoder.layers),
                        *zip(ours.decoder, theirs.decoder.layers)]:
        for name, attention in ATTENTIONS.items():
            part, its = getattr(mine, name), getattr(other, attention, None)
            if part is None:
                continue
            for kind in ("weight", "bias"):
                stacked = [getattr(getattr(part, one), kind)
                           for one in ("query", "key", "value")]
                pairs += [(stacked, getattr(its, f"in_proj_{kind}")),
                          ([getattr(part.out, kind)], getattr(its.out_proj, kind))]
        named = [(mine.get_submodule(name), getattr(other, its))
                 for name, its in LINEAR.items()]
        named += [(norm, getattr(other, f"norm{number}"))
                  for number, norm in enumerate(mine.norms, 1)]
        pairs += [([getattr(one, kind)], getattr(its, kind))
                  for one, its in named for kind in ("weight", "bias")]
    with torch.no_grad():
        for parts, weight in pairs:
            weight.copy_(torch.cat(parts))
    assert sum(weight.numel() for _, weight in pairs) == sum(
        part.numel() for part in theirs.parameters())
    return theirs, pairs


def codes(size, width=12):
    """Section 3.5, by a loop."""
    wave = (math.sin, math.cos)
    return torch.tensor([[wave[i % 2](place / 10000 ** (i // 2 * 2 / width))
                          for i in range(width)] for place in range(size)],
                        dtype=torch.float64)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("target_pads", [False, True])
def test_it_is_the_transformer_of_torch(target_pads):
    """Every value and gradient; masks of pads of both sides, and of later words."""
    ours = of_2017()
    theirs, pairs = torch_machine(ours)
    table = ours.table.weight
    x, y = (table[ids] * 12 ** 0.5 + codes(ids.shape[1]) for ids in (SOURCE, TARGET))
    states = theirs(
        x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(5) < 0,
        src_key_padding_mask=SOURCE == 0, memory_key_padding_mask=SOURCE == 0,
        tgt_key_padding_mask=TARGET == 0 if target_pads else None)
    # behind its pads a text has no word to ask about
    seen = TARGET != 0 if target_pads else torch.ones_like(TARGET, dtype=torch.bool)
    wanted, logits = (states @ table.T)[seen], ours(SOURCE, TARGET)[seen]
    close(logits, wanted, **exactly)
    mine = gradients(logits, [part for parts, _ in pairs for part in parts] + [table])
    other = gradients(wanted, [weight for _, weight in pairs] + [table])
    mine = list(mine)
    for (parts, _), slope in zip(pairs, other):
        close(torch.cat([mine.pop(0) for _ in parts]), slope, **exactly)
    close(mine.pop(), other[-1], **exactly)


def test_it_is_the_paper_s_machine_of_the_package(monkeypatch):
    ours = of_2017()
    monkeypatch.setattr(transformer, "sinusoids",    # float64
                        lambda positions, *given, **more: layers.sinusoids(
                            positions.double(), *given, **more))
    config = TransformerConfig(12, 3, 2, 20, 0.0)
    theirs = make_variant(WORDS, WORDS, config, pre_norm=False).double()
    own = dict(ours.named_parameters())
    weights = {}
    for name, _ in theirs.named_parameters():
        its = name.replace(".layers", "").replace("feed_forward.up", "feed_forward.0")
        its = its.replace("feed_forward.down", "feed_forward.2")
        layer = its.split(".norm")[0]
        for number in (1, 2, 3):
            its = its.replace(f"{layer}.norm{number}", f"{layer}.norms.{number - 1}")
        weights[name] = own["table.weight" if "table" in name else its] if (
            name != "generator.bias") else torch.zeros(WORDS).double()
    weights["generator.weight"] = own["table.weight"]
    for stack in (theirs.encoder, theirs.decoder):
        stack.embedding.table.padding_idx = None    # it keeps a gradient from the pad
    logits = ours(SOURCE, TARGET)
    wanted = torch.func.functional_call(theirs, weights, (
        SOURCE, (SOURCE != 0).sum(dim=1), TARGET))
    close(logits, wanted, **exactly)
    for mine, other in zip(gradients(logits, list(own.values())),
                           gradients(wanted, list(own.values()))):
        close(mine, other, **exactly)


def test_its_korean_numbers_are_right():
    korean = load("transformer").korean
    for number, said in ((1, "일"), (10, "십"), (21, "이 십 일"), (100, "백"),
                         (306, "삼 백 육"), (1110, "천 백 십"), (10000, "만"),
                         (45000, "사 만 오 천"), (200010, "이 십 만 십"),
                         (999999, "구 십 구 만 구 천 구 백 구 십 구")):
        assert korean(number).split() == said.split()


def test_its_english_numbers_are_right_and_all_its_words_known():
    file = load("transformer")
    for number, said in ((7, "seven"), (19, "nineteen"), (20, "twenty"),
                         (45006, "forty five thousand six"), (100, "one hundred"),
                         (340018, "three hundred forty thousand eighteen")):
        assert file.english(number).split() == said.split()
    said = {word for n in range(1, 10**6, 37) for text in (
        file.english(n), file.korean(n)) for word in text.split()}
    assert said == set(file.WORDS[3:]) and len(set(file.WORDS)) == len(file.WORDS)
    ids = file.batch([file.english(7), file.english(45006)])
    assert ids[1].tolist() == [file.WORDS.index(word) for word in
                               "forty five thousand six".split()]
    assert ids[0, 1:].tolist() == [0, 0, 0] and file.WORDS[2] == "<eos>"


# The decoder of today

IDS = torch.tensor([[1, 5, 6, 7, 3, 8, 9], [2, 9, 10, 4, 4, 0, 1]])


def of_today():
    return moved(load("decoder").Decoder(WORDS, width=24, heads=6, groups=3, hidden=20,
                                         layers=2))    # two pairs of numbers a head


def test_it_is_the_decoder_of_the_package():
    ours = of_today()
    config = DecoderOnlyConfig(WORDS, 24, 6, 3, 2, 20, 24, **LLAMA)
    theirs = DecoderOnly(config).double()
    theirs.load_state_dict(ours.state_dict())    # it has the same names
    logits, wanted = ours(IDS), theirs(IDS)
    close(logits, wanted, **exactly)
    own, its = dict(ours.named_parameters()), dict(theirs.named_parameters())
    assert set(own) == set(its)
    for mine, other in zip(gradients(logits, list(own.values())),
                           gradients(wanted, [its[name] for name in own])):
        close(mine, other, **exactly)


@pytest.mark.parametrize("cuts", [[1] * 7, [3, 1, 2, 1], [7]])
def test_with_a_cache_it_says_the_same(cuts):
    ours, cache = of_today(), {}
    whole = ours(IDS)
    close(torch.cat([ours(part, cache) for part in IDS.split(cuts, dim=1)], dim=1),
          whole, **exactly)


LLAMAS = (("model.", ""), ("embed_tokens", "embedding"), ("self_attn", "attention"),
          ("q_proj", "query"), ("k_proj", "key"), ("v_proj", "value"),
          ("o_proj", "out"), ("mlp", "feed_forward"), ("gate_proj", "gate"),
          ("up_proj", "up"), ("down_proj", "down"), ("input_layernorm", "norm1"),
          ("post_attention_layernorm", "norm2"), ("lm_head", "generator"))


def test_it_is_the_llama_of_hugging_face():
    transformers = pytest.importorskip(
        "transformers", reason="the library transformers, against which the decoder is "
        "proved, is not installed: pip install transformers")
    ours = of_today()
    theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=WORDS, hidden_size=24, intermediate_size=20, num_hidden_layers=2,
        num_attention_heads=6, num_key_value_heads=3, rms_norm_eps=1e-5,
        max_position_embeddings=24, rope_theta=10000.0, bos_token_id=None,
        eos_token_id=None, attn_implementation="eager")).double()
    own, pairs = dict(ours.named_parameters()), []
    for name, weight in theirs.named_parameters():
        for its, mine in LLAMAS:
            name = name.replace(its, mine)
        pairs.append((own.pop(name), weight))
        with torch.no_grad():
            weight.copy_(pairs[-1][0])
    assert not own
    logits, wanted = ours(IDS), theirs(IDS).logits
    # the library turns and normalises in float32
    close(logits, wanted, rtol=1e-5, atol=1e-5)
    for mine, other in zip(gradients(logits, [mine for mine, _ in pairs]),
                           gradients(wanted, [weight for _, weight in pairs])):
        close(mine, other, rtol=1e-4, atol=1e-4)
