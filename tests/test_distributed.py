"""distributed: two processes train what one trains, stop and go on together, and say
so where one of them ends."""

import copy
import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from datetime import timedelta

import pytest
import torch
from torch import nn

from interruptions import stopped_in
from softdict import training
from softdict.__main__ import main
from softdict.batches import make_batch
from softdict.programs import distributed, pair_trainer, translator
from softdict.programs.stopping import EarlyStopping, evaluator
from softdict.saving import recipes
from softdict.saving.checkpoint import load
from softdict.training import Settings, TrainingState, batch_loss, take_step, train

torch_distributed = torch.distributed
pytestmark = pytest.mark.skipif(
    not (torch_distributed.is_available() and torch_distributed.is_gloo_available()),
    reason="this PyTorch was built without gloo, which lets processes talk on a CPU")

TWO = 2
PAIRS = [([4 + (n * k) % 7 for k in range(1, 2 + n % 4)],
          [4 + (n + k) % 7 for k in range(1, 2 + n % 3)]) for n in range(20)]
SHORT = Settings(updates=7, batch_size=6, interval=3)
RNN = ("attention-general", {"width": 8, "embedding_width": 6})
TRANSFORMER = ("transformer", {"width": 8, "heads": 2, "layers": 1, "hidden": 8})
# name: model, changes of the settings, one table for both languages
EQUAL = {
    "an RNN": (RNN, {}, False),
    "an RNN, one table": (RNN, {"smoothing": 0.1}, True),
    "a Transformer, tied": (TRANSFORMER, {}, False),
    "a Transformer, one table": (TRANSFORMER, {"micro_batches": 2, "smoothing": 0.1},
                                 True),
    "more parts than rows": (TRANSFORMER, {"micro_batches": 5, "batch_size": 7}, False),
    # 19 rows, then 1: the second process has none
    "fewer rows than processes": (RNN, {"batch_size": 19}, False),
    "one row an update": (TRANSFORMER, {"batch_size": 1, "micro_batches": 2}, False)}


def made(model=RNN, changes={}, shared=False, dropout=0.0, settings=SHORT):
    """A small Training in float64: in float32 Adam makes steps of what rounding leaves
    of a gradient that is 0."""
    name, options = model
    torch.manual_seed(5)
    built = recipes.RECIPES[name].build(11, 11, **options, dropout=dropout)
    if shared:
        recipes.share_encoder_decoder_embeddings(built)
    return TrainingState(built.double(), replace(settings, **changes), "words")


def weights(state):
    return torch.cat([part.detach().flatten() for part in state.model.parameters()])


def ended(state):
    """What a training has come to."""
    return copy.deepcopy(state.history), weights(state)


def same(one, other):
    """Both histories, and all weights, to 1e-6."""
    (history, values), (theirs, their_values) = one, other
    assert len(history) == len(theirs)
    for record, their in zip(history, theirs):
        assert record.keys() == their.keys()
        assert record == pytest.approx(their, rel=1e-6, abs=1e-6)
    torch.testing.assert_close(values, their_values, rtol=0, atol=1e-6)


# nothing is learned: chance alone makes losses differ
STILL = {"seed": 3, "peak_rate": 1e-12}


# What each of two processes does: all of it once, its results in a file


def equal_runs(folder):
    found = {}
    for name, parts in EQUAL.items():
        state = made(*parts)
        distributed.train(state, PAIRS)
        found[name] = ended(state)
    return found


def checkpoints(folder):
    """How many updates this process's file holds at each evaluation, and at the end;
    evaluations join the history."""
    held, state, again = [], made(), made()
    path = folder / f"whole of {torch_distributed.get_rank()}"

    def evaluate(model):
        if path.exists():
            load(again, path)
        held.append(len(again.history))
        return {"found": 0.5}

    distributed.train(state, PAIRS, evaluate, path)
    evaluate(state.model)
    return held, ended(state)


def stops(folder):
    """Interrupted by two, for one to go on with; and what one has begun, ended."""
    with stopped_in(6):
        distributed.train(made(), PAIRS, path=folder / "by two")
    state = made()
    distributed.train(state, PAIRS, path=folder / "by one")
    return ended(state)


def dropped(folder):
    """What this process says of rows that are the same in both, twice."""
    return [said(made(TRANSFORMER, STILL, dropout=dropout), distributed.train)
            for dropout in (0.5, 0.5, 0.0)]


def said(state, train):
    """The sum of a model's logits in each update of a training on one pair."""
    sums = []
    state.model.generator.register_forward_hook(
        lambda part, inputs, logits: sums.append(logits.sum().item()))
    train(state, PAIRS[:1] * 12)
    return sums


def early(folder):
    """Each process finds losses of its own; the first one's count for all."""
    rank = torch_distributed.get_rank()
    found = iter([[3.0, 2.0, 2.5, 2.6, 1.0, 1.0, 1.0],
                  [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]][rank])
    state, path = made(changes={"interval": 1}), folder / f"best of {rank}"
    try:
        distributed.train(state, PAIRS, evaluator(
            state, lambda model: {"validation loss": next(found)}, path, 2, "loss"))
    except EarlyStopping:
        pass
    return [record["validation loss"] for record in state.history], path.exists()


def unlike(folder):
    """The sentence with which processes that have read different things refuse."""
    rank, said = torch_distributed.get_rank(), []
    longer = made()
    longer.history += [{"loss": 1.0}] * rank
    other = made()
    other.vocab_fingerprint += str(rank)
    for state, pairs in ((longer, PAIRS), (other, PAIRS), (made(), PAIRS[rank:])):
        try:
            distributed.train(state, pairs)
        except ValueError as error:
            said.append(str(error))
    return said


def wordy_loss(model, part, settings):
    """A loss of one's own: long sentences count more."""
    return batch_loss(model, part, settings) * part.target_out.shape[1]


def other_loss(folder):
    state = made()
    distributed.train(state, PAIRS, loss=wordy_loss)
    return ended(state)


TASKS = [equal_runs, other_loss, checkpoints, stops, dropped, early, unlike]


def work(rank, folder):
    """One of the two processes."""
    torch.set_num_threads(1)
    torch_distributed.init_process_group(
        "gloo", init_method=(folder / "meeting").as_uri(), rank=rank, world_size=TWO,
        timeout=timedelta(seconds=60))
    torch.save({task.__name__: task(folder) for task in TASKS}, folder / f"of {rank}")
    torch_distributed.destroy_process_group()


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """What the two processes have found, and the folder that they shared."""
    folder = tmp_path_factory.mktemp("both")
    with stopped_in(6):
        train(made(), PAIRS, path=folder / "by one")
    torch.multiprocessing.spawn(work, (folder,), TWO)
    return folder, [torch.load(folder / f"of {rank}", weights_only=False)
                    for rank in range(TWO)]


@pytest.mark.parametrize("name", EQUAL)
def test_two_processes_train_what_one_trains(both, name):
    alone = made(*EQUAL[name])
    train(alone, PAIRS)
    for found in both[1]:
        same(ended(alone), found["equal_runs"][name])
    assert not torch.equal(weights(alone), weights(made(*EQUAL[name])))


def test_another_loss_is_learned_from_by_all(both):
    alone, usual = made(), made()
    distributed.train(alone, PAIRS, loss=wordy_loss)
    train(usual, PAIRS)
    for found in both[1]:
        same(ended(alone), found["other_loss"])
    assert not torch.allclose(weights(alone), weights(usual))


def test_one_process_and_several_learn_from_the_same_loss():
    update, together = (inspect.signature(part).parameters["loss"].default
                        for part in (training.update, distributed.train))
    assert update is together


def test_a_mean_of_the_processes_means_is_another_training(both):
    """Gradients count by the words of the whole batch, and not by process."""
    alone = made()

    def by_process(state, batch):
        state.optimizer.zero_grad()
        parts = batch.parts(TWO)
        loss = sum(batch_loss(state.model, part, state.settings)
                   for part in parts) / len(parts)
        loss.backward()
        return take_step(state, loss.item())

    train(alone, PAIRS, update=by_process)
    history, values = both[1][0]["equal_runs"]["an RNN"]
    assert max(abs(record["loss"] - other["loss"])
               for record, other in zip(history, alone.history)) > 1e-3
    assert (values - weights(alone)).abs().max() > 1e-4


def test_the_first_process_alone_writes_and_all_evaluate(both):
    folder, (first, second) = both
    assert first["checkpoints"][0] == [0, 3, 6, 7]
    assert second["checkpoints"][0] == [0, 0, 0, 0]
    alone, read = made(), made()
    train(alone, PAIRS, lambda model: {"found": 0.5})
    for found in (first, second):
        same(ended(alone), found["checkpoints"][1])
    load(read, folder / "whole of 0")
    same(ended(read), ended(alone))
    assert {path.name for path in folder.iterdir()} == {
        "whole of 0", "by one", "by two", "best of 0", "of 0", "of 1",
        *(["meeting"] if (folder / "meeting").exists() else [])}


def test_what_two_have_begun_one_ends_and_the_other_way_round(both):
    folder, found = both
    whole, one = made(), made()
    train(whole, PAIRS)
    train(one, PAIRS, path=folder / "by two")
    same(ended(whole), ended(one))
    for part in found:
        same(ended(whole), part["stops"])


def test_each_process_drops_out_numbers_of_its_own(both):
    (first, again, without), (second, _, others) = [found["dropped"]
                                                    for found in both[1]]
    assert without == others    # the rows are the same
    assert all(one != other for one, other in zip(first, second))
    assert first == again       # and chance is that of seed and update


def test_the_first_process_drops_out_what_one_alone_would(both):
    alone = made(TRANSFORMER, STILL | {"batch_size": 3}, dropout=0.5)
    sums = said(alone, train)
    assert len(set(sums)) == 7
    assert sums == pytest.approx(both[1][0]["dropped"][0])


def test_early_stopping_is_agreed_on(both):
    (losses, kept), (others, none_kept) = [found["early"] for found in both[1]]
    assert losses == others == [3.0, 2.0, 2.5, 2.6]
    assert kept and not none_kept


def test_processes_that_have_read_different_things_refuse(both):
    for found in both[1]:
        assert found["unlike"] == [
            "the processes have read different pairs or checkpoints: all machines must "
            "see the same pairs and the same --out"] * 3


# One process


@pytest.fixture
def group(monkeypatch):
    """This process as a group of one."""
    torch_distributed.init_process_group(
        "gloo", store=torch_distributed.HashStore(), rank=0, world_size=1)
    yield
    torch_distributed.destroy_process_group()


@pytest.mark.parametrize("name", EQUAL)
def test_a_group_of_one_trains_as_one_does(group, name):
    together, alone = made(*EQUAL[name]), made(*EQUAL[name])
    assert distributed.together() and distributed.first()
    distributed.train(together, PAIRS)
    train(alone, PAIRS)
    same(ended(together), ended(alone))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_mixed_precision_goes_the_same_way(group, precision):
    together, alone = (made(changes={"precision": precision}) for _ in range(2))
    for state in (together, alone):
        state.model.float()
    distributed.train(together, PAIRS)
    train(alone, PAIRS)
    for record, other in zip(together.history, alone.history, strict=True):
        assert record["loss"] == pytest.approx(other["loss"], rel=1e-3)


def test_gradients_travel_with_the_last_part_alone(group):
    loss_of = nn.parallel.DistributedDataParallel(
        distributed.LossOf(made().model, batch_loss))
    for parts in (1, 3):
        own = distributed.OwnRows(make_batch(PAIRS[:6]), loss_of)
        travels = [loss_of.require_backward_grad_sync for _ in own.parts(parts)]
        assert travels == [False] * (parts - 1) + [True]
    assert loss_of.require_backward_grad_sync


def test_each_group_of_weights_keeps_its_factor(group):
    together, alone = (made() for _ in range(2))
    for state in (together, alone):
        some, more = state.model.encoder, state.model.decoder
        state.optimizer = torch.optim.AdamW(
            [{"params": some.parameters()},
             {"params": more.parameters(), "lr": 1e-3, "weight_decay": 0.5}], lr=4e-3)
    distributed.train(together, PAIRS)
    train(alone, PAIRS)
    same(ended(together), ended(alone))
    assert not torch.equal(weights(alone), weights(made()))


@pytest.mark.parametrize("rows, processes, counts", [
    (6, 2, [3, 3]), (7, 2, [4, 3]), (1, 2, [1, 0]), (2, 3, [1, 1, 0])])
def test_every_row_counts_once(group, rows, processes, counts, monkeypatch):
    batch = make_batch(PAIRS[:rows])
    monkeypatch.setattr(torch_distributed, "get_world_size", lambda: processes)
    sources = []
    for rank, count in enumerate(counts):
        monkeypatch.setattr(torch_distributed, "get_rank", lambda: rank)
        part, share = distributed.own_rows(batch)
        assert len(part.source) * share == count
        sources += part.source.tolist() * share
    assert sources == batch.source.tolist()


class Lost(nn.Module):
    """A model whose loss ends in an error."""

    def __init__(self, message):
        super().__init__()
        self.weight, self.message = nn.Parameter(torch.zeros(1)), message

    def states(self, *arguments):
        raise RuntimeError(self.message)


def test_what_another_process_broke_is_told_from_what_is_broken_here(group):
    lost = "[../third_party/gloo/gloo/transport/tcp/pair.cc:5] Connection closed"
    for message, error in ((lost, ConnectionError), ("shape [3]", RuntimeError)):
        with pytest.raises(error, match="another process|shape"):
            distributed.train(TrainingState(Lost(message), SHORT), PAIRS)


def test_a_process_that_is_ending_is_not_told_again():
    """torchrun's SIGTERM may come while the sentence is being said, or behind it."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, distributed.raise_peer_lost)
        with pytest.raises(ConnectionError, match="another process"):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)    # nothing: it is ending
        signal.signal(signal.SIGTERM, own := lambda *_: None)
        with pytest.raises(ConnectionError, match="another process"):
            distributed.raise_peer_lost()
        assert signal.getsignal(signal.SIGTERM) is own    # not torchrun's: left alone
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("device, here, message", [
    ("mps", 0, "on CPUs or on NVIDIA GPUs; Apple's GPU trains with one, without"),
    ("", 1, "each process needs a GPU of its own: --nproc-per-node must be 1 at ")])
def test_processes_without_a_device_of_their_own_are_refused(monkeypatch, device,
                                                             here, message):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("SOFTDICT_DEVICE", device)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: device == "mps")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: here > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
    monkeypatch.setattr(torch_distributed, "init_process_group", None)
    with pytest.raises(ValueError, match=message):
        distributed.begin()


# The command line


NOUNS = ["dog", "cat", "man", "old", "owl", "hen"]
LINES = [f"The {a} saw a {b}.\tIch {b} sah {a}!" for a in NOUNS for b in NOUNS]


def command(folder, out, updates=5):
    (folder / "pairs.tsv").write_text("\n".join(LINES), encoding="utf-8")
    return ["train", "--pairs", str(folder / "pairs.tsv"), "--out", str(folder / out),
            "--updates", str(updates), "--width", "8", "--heads", "2", "--layers", "1",
            "--dropout", "0"]


@pytest.mark.parametrize("size", [None, "1"])
def test_one_process_joins_nothing(tmp_path, monkeypatch, size):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    if size:
        monkeypatch.setenv("WORLD_SIZE", size)
    monkeypatch.setattr(torch_distributed, "init_process_group", None)
    before = signal.getsignal(signal.SIGTERM)
    main(command(tmp_path, "alone"))
    assert not distributed.together() and distributed.first()
    assert distributed.agreed(0.1) == 0.1
    assert signal.getsignal(signal.SIGTERM) is before


SCRIPT = """
    import os, runpy, signal
    from softdict.programs import commands

    planned, steps = commands.planned, []

    def killed(*arguments):
        steps.append(1)
        if len(steps) == 11 and os.environ["RANK"] == os.environ["KILLED"]:
            os.kill(os.getpid(), signal.SIGKILL)

    def planned_here(arguments):    # which process shows a bar is settled before torch
        from torch.optim.optimizer import register_optimizer_step_pre_hook
        from softdict.programs import pair_trainer

        pair_trainer.EVERY = 10
        register_optimizer_step_pre_hook(killed)
        return planned(arguments)

    commands.planned = planned_here
    runpy.run_module("softdict", run_name="__main__")
"""


def torchrun(killed, *arguments):
    """A command by two processes, of which one may be killed behind a checkpoint."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("RANK", "WORLD_SIZE", "TQDM_DISABLE")}
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone",
         "--nproc-per-node", "2", *arguments],
        capture_output=True, encoding="utf-8", timeout=300,
        env=environment | {"PYTHONPATH": os.pathsep.join(sys.path), "KILLED": killed,
                           "CUDA_VISIBLE_DEVICES": ""})


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("killed", ["0", "1"])
def test_a_killed_process_ends_the_run_and_the_same_command_goes_on(
        tmp_path, monkeypatch, killed):
    monkeypatch.setattr(pair_trainer, "EVERY", 10)    # as in the script
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT), encoding="utf-8")
    arguments = command(tmp_path, "model", updates=12)
    done = torchrun(killed, str(script), *arguments)
    sentence = f"python -m softdict train: {distributed.ENDED}"
    assert done.returncode and done.stderr.count(sentence) == 1, done.stderr
    assert "RuntimeError" not in done.stderr
    assert "ConnectionError" not in done.stderr
    assert (tmp_path / "model" / pair_trainer.UNFINISHED).exists()
    if killed == "0":
        done = torchrun("", str(script), *arguments)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [str(tmp_path / "model")]
        assert done.stderr.count("35 pairs for training") == 1
        assert done.stderr.count(" 10/12 ") == 1    # one bar, and where it goes on
    else:
        main(arguments)
    main(command(tmp_path, "whole", updates=12))
    found, wanted = (translator.load_folder(tmp_path / name)
                     for name in ("model", "whole"))
    assert found.config == wanted.config
    histories = [[json.loads(line) for line in (tmp_path / name / "history.jsonl")
                  .read_text("utf-8").splitlines()] for name in ("model", "whole")]
    for record, other in zip(*histories, strict=True):
        assert record == pytest.approx(other, rel=1e-3)    # they are in float32
    assert sorted(os.listdir(tmp_path / "model")) == sorted(
        os.listdir(tmp_path / "whole"))
