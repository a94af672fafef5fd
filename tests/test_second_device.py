"""On a device made in Python, what would fail on a GPU fails, and the rest is equal.

The same device can stand for Apple's MPS, and then lacks what that lacks.

In processes of their own, since a device cannot be taken away again.
"""

import contextlib
import copy
import functools
import json
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import pytest
import second_device
import torch

pytestmark = pytest.mark.skipif(
    not second_device.available(), reason="this torch has no devices written in Python")
PAIRS = [([4 + k % 7, 5 + k % 11, 6], [19 - k % 7, 8]) for k in range(24)]


# What the processes of their own do ---------------------------------------------------

def refused(device):
    """What CUDA refuses: numbers of two devices, random numbers of another, numpy."""
    there, here = torch.ones(3, 4, device=device), torch.ones(3, 4)
    mask = torch.ones(3, 4, dtype=torch.bool)
    for wrong in (lambda: there + here, lambda: here * there, lambda: there @ here.T,
                  lambda: torch.cat([there, here]),
                  lambda: there.masked_fill(mask, 0.0),
                  lambda: torch.where(mask, there, 0.0), lambda: there.add_(here),
                  lambda: torch.nn.Linear(4, 2)(there), lambda: there.numpy(),
                  lambda: torch.nn.functional.cross_entropy(there, torch.arange(3)),
                  lambda: torch.rand(3, device=device, generator=torch.Generator()),
                  lambda: torch.rand(3, generator=torch.Generator(device)),
                  lambda: there[0].multinomial(1, generator=torch.Generator()),
                  lambda: torch.nn.utils.rnn.pack_padded_sequence(
                      there[..., None], torch.tensor([4, 2, 1]).to(device), True)):
        with pytest.raises((RuntimeError, TypeError, ValueError)):
            wrong()


def permitted(device):
    """What CUDA permits: numbers without axes, indices, copies, lengths for packing."""
    there = torch.arange(12.0, device=device).view(3, 4)
    assert (there + torch.tensor(1.0)).tolist() == (there.cpu() + 1).tolist()
    assert there[torch.tensor([2, 0])].tolist() == there.cpu()[[2, 0]].tolist()
    assert torch.empty(3, 4).copy_(there).device.type == "cpu"
    assert f"{there.sum():.1f}" == "66.0"
    there[:, 1] = 0.0    # a view changes what it is a view of
    assert there[:, 1].sum().item() == 0 and there.sum().item() == 66 - 15
    packed = torch.nn.utils.rnn.pack_padded_sequence(
        there[..., None], torch.tensor([4, 2, 1]), batch_first=True)
    assert packed.data.device.type == second_device.NAME
    for place in ("cpu", device):    # weights are loaded while a graph holds the old
        layer, other = torch.nn.Linear(2, 2).to(place), torch.nn.Linear(2, 2)
        x = torch.ones(1, 2, device=place, requires_grad=True)
        held = layer(x)
        layer.load_state_dict(other.state_dict())
        assert layer(x).tolist() == other(torch.ones(1, 2)).tolist() != held.tolist()


def equal(device):
    """Every kind of model: losses of a training, and words written, in both places."""
    from softdict.decoding import beam_search, greedy
    from softdict.seq2seq import Encoder, LuongDecoder, Seq2Seq
    from softdict.training import fit
    from softdict.transformer import TransformerConfig, make_transformer

    def transformer():
        return make_transformer(20, 20, TransformerConfig(
            width=12, heads=3, layers=2, hidden=24, dropout=0.0))

    def recurrent():
        return Seq2Seq(Encoder(20, 6, 8), LuongDecoder(20, 6, 8))

    for make in (transformer, recurrent):
        torch.manual_seed(0)
        here = make()
        there = copy.deepcopy(here).to(device)
        losses = [fit(model, PAIRS, 3, 1e-2, batch_size=8) for model in (here, there)]
        torch.testing.assert_close(*losses, rtol=1e-4, atol=1e-5)
        source, lengths = torch.tensor([[4, 5, 6], [7, 8, 0]]), torch.tensor([3, 2])
        for search in (greedy, beam_search):
            words = [search(model.eval(), source.to(place), lengths, max_length=4)
                     for model, place in ((here, "cpu"), (there, device))]
            if search is greedy:
                assert words[0] == words[1]
            else:
                assert [[one.ids for one in row] for row in words[0]] == [
                    [one.ids for one in row] for row in words[1]]


def broken(device):
    """Mistakes that only a second device shows are seen: each of these stops."""
    from softdict import masks, training, transformer
    from softdict.training import fit
    from softdict.transformer import TransformerConfig, make_transformer

    def trained():
        torch.manual_seed(0)
        model = make_transformer(20, 20, TransformerConfig(
            width=12, heads=3, layers=1, hidden=24)).to(device)
        fit(model, PAIRS, 1, 1e-2, batch_size=8)

    trained()
    causal = masks.causal_mask

    def on_cpu(length, device=None):
        return causal(length)

    for module in (transformer, masks, training):
        if hasattr(module, "causal_mask"):
            module.causal_mask = on_cpu
    with pytest.raises(RuntimeError, match="same device"):
        trained()


def refused_on_mps(device):
    """What MPS refuses: float64, made there, sent there or back; missing operations."""
    there, here = torch.ones(3, 3, device=device), torch.ones(3, dtype=torch.float64)
    for wrong in (lambda: here.to(device), lambda: there.double(),
                  lambda: torch.zeros(3, dtype=torch.float64, device=device),
                  lambda: torch.tensor(here.numpy(), device=device),
                  lambda: torch.nn.Linear(3, 3).double().to(device),
                  lambda: torch.zeros(3, dtype=torch.complex128, device=device),
                  lambda: there.to("cpu", torch.float64), lambda: here.copy_(there[0]),
                  lambda: there.long().mean(dtype=torch.float64)):
        with pytest.raises(TypeError, match="float64"):
            wrong()
    for wrong in (there.mode, lambda: torch.linalg.svd(there)):
        with pytest.raises(NotImplementedError, match="for the MPS device"):
            wrong()


def permitted_on_mps(device):
    """What MPS permits: float64 after the way to the CPU, sums of whole numbers."""
    there = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    assert there.cpu().double().sum() == 10
    assert there.copy_(torch.eye(2, dtype=torch.float64)).tolist() == [[1, 0], [0, 1]]
    assert (2 * there[0] + torch.tensor(0.5, dtype=torch.float64)).tolist() == [2.5, .5]
    assert (there > 0).cumsum(dim=1).tolist() == [[1, 1], [0, 1]]


def measured(device):
    """What experiments find in a model that stands there is what they find on a CPU."""
    from softdict import corpus, roles, runtime
    from softdict.experiments import (averaged, keeping, measures, replaced, sentences,
                                      translation)
    from softdict.experiments import roles as study
    from softdict.programs import translator
    from softdict.transformer import Transformer

    whole, pairs = sentences.split, corpus.split("iid")[:6]
    sentences.split = lambda name: whole(name)[:6]
    runtime.device = lambda: device
    links = roles.neighbour_links([len(pair.words) for pair in pairs], 1)
    dots = translation.SYSTEMS["looks"]["attention"]

    def found(model):
        batch = study.batch_of(pairs, model)
        if not isinstance(model, Transformer):
            return [(row["linked"], row["others"])
                    for row in replaced.replacements(dots, model).values()]
        weights = roles.head_weights(model, batch.source, batch.source_lengths,
                                     batch.target_in)["encoder"]
        return [study.judged(model, batch), keeping.measured(model, whole("iid")[:6]),
                averaged.judged(model, batch, roles.ablated(model, [])),
                measures.cross_attention(study.SYSTEM, model),
                roles.head_accuracy(weights, links).tolist()]

    for model in (translator.translator(), dots.start(0)[0].model):
        there = found(model.eval())
        torch.testing.assert_close(found(model.cpu()), there, rtol=1e-5, atol=1e-6,
                                   equal_nan=True)


def carried(device):
    """A training goes from there to the CPU and back, and ends like one that stays."""
    from softdict.training import Settings, TrainingState, train, update
    from softdict.transformer import TransformerConfig, make_transformer

    def losses(name, *places):
        def until_interrupted(state, batch):
            if len(state.history) == last:
                raise KeyboardInterrupt
            return update(state, batch)

        for last, place in zip((2, 4, 6), places):
            torch.manual_seed(0)
            model = make_transformer(20, 20, TransformerConfig(
                width=12, heads=3, layers=1, hidden=24, dropout=0.0)).to(place)
            state = TrainingState(model, Settings(updates=6, batch_size=8, interval=1),
                                  "words")
            with contextlib.suppress(KeyboardInterrupt):
                train(state, PAIRS, path=Path(name), update=until_interrupted)
        return [record["loss"] for record in state.history]

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        torch.testing.assert_close(losses("moved", device, "cpu", device),
                                   losses("stays", "cpu", "cpu", "cpu"))


def commands(device):
    """The commands train every kind of model there, translate and write."""
    from softdict import __main__, runtime

    runtime.device = lambda: device
    pairs = "".join(f"the dog {k % 7} sees {k % 5}\tle chien {k % 7} voit {k % 5}\n"
                    for k in range(60))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("pairs.tsv").write_text(pairs, encoding="utf-8")
        Path("notes.txt").write_text("once upon a time there was a dog. " * 400,
                                     encoding="utf-8")
        small = "--updates 3 --width 16 --heads 2 --layers 1"
        for line in ("translate the dog saw Mina --figure map.svg",
                     "train --pairs pairs.tsv --out rnn --updates 2 --model rnn",
                     f"train --pairs pairs.tsv --out pieces {small} --pieces 60",
                     f"train --pairs pairs.tsv --out half {small} --precision bfloat16",
                     "translate the dog --model half",
                     f"train --text notes.txt --out writer {small}",
                     "write once --model writer --seed 1"):
            given = __main__.command_line().parse_args(line.split())
            given.run(given)


# The tests ----------------------------------------------------------------------------

PARTS = {    # in this order; the last of each leaves something behind
    "cuda": ("refused", "permitted", "equal", "carried", "broken"),
    "mps": ("refused_on_mps", "permitted_on_mps", "equal", "measured", "commands")}


@functools.cache
def faults(kind):
    """What stopped each part that stopped, all in one process: torch loads once."""
    made = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, kind], capture_output=True,
        text=True, cwd=Path(__file__).parent)
    assert made.returncode == 0, made.stderr[-2000:]
    return json.loads(made.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind, part", [
    (kind, part) for kind, parts in PARTS.items() for part in parts])
def test_on_the_second_device(kind, part):
    if kind == "mps" and not second_device.OPERATIONS.is_file():
        pytest.skip("this torch does not bring the list of what MPS computes")
    assert faults(kind)[part] == ""


if __name__ == "__main__":
    found = {}
    with second_device.present(mps=sys.argv[1] == "mps") as place:
        for name in PARTS[sys.argv[1]]:
            try:
                globals()[name](place)
                found[name] = ""
            except BaseException:
                found[name] = traceback.format_exc()[-2000:]
    print(f"\n{json.dumps(found)}")
