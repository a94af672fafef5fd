"""runtime: seeds repeat, assets are found, and a file is written whole or not at
all."""

import os

import pytest
import torch

from softdict import runtime
from softdict.texts import files


def test_a_seed_repeats():
    runtime.seed(4)
    first = torch.rand(3)
    runtime.seed(4)
    assert torch.equal(torch.rand(3), first)


def test_a_seed_that_is_too_large_is_one_sentence():
    runtime.seed(2 ** 63 - 1)
    for number in (2 ** 63, 10 ** 30, -1):
        with pytest.raises(ValueError, match=f"a seed has 63 bits.*; got {number}$"):
            runtime.seed(number)


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[]"])
def test_a_damaged_result_is_named(tmp_path, monkeypatch, damage):
    monkeypatch.setattr(runtime, "ASSETS", tmp_path)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/one.0.json").write_text('{"seed": 0}')
    assert runtime.results("one") == [{"seed": 0}]
    (tmp_path / "results/one.1.json").write_bytes(damage)
    with pytest.raises(ValueError, match="^one.1.json is empty or damaged"):
        runtime.results("one")


def test_device_can_hold_a_tensor():
    assert torch.zeros(1, device=runtime.device()).item() == 0


def test_on_cuda_rnns_keep_float32(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.delenv("SOFTDICT_DEVICE", raising=False)
    assert runtime.device().type == "cuda"
    assert not torch.backends.cudnn.allow_tf32


@pytest.mark.parametrize("told, mps, wanted", [
    (None, True, "cpu"), ("", False, "cpu"), ("mps", True, "mps"), ("cpu", True, "cpu"),
    ("mps", False, None), ("cuda", False, None), ("gpu", True, None)])
def test_a_variable_chooses_the_device(told, mps, wanted, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    monkeypatch.delenv("SOFTDICT_DEVICE", raising=False)
    if told is not None:
        monkeypatch.setenv("SOFTDICT_DEVICE", told)
    if wanted:
        assert runtime.device().type == wanted
    else:
        there = "mps, cpu" if mps else "cpu"
        with pytest.raises(ValueError, match=f"^SOFTDICT_DEVICE is '{told}'; this "
                                             f"machine has {there}$"):
            runtime.device()


def test_a_missing_asset_is_named():
    with pytest.raises(FileNotFoundError, match="no asset 'nothing.json'"):
        runtime.asset("nothing.json")


def test_write_whole_replaces(tmp_path):
    file = tmp_path / "a.bin"
    files.write_whole(file, b"old")
    files.write_whole(file, b"new")
    assert file.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.bin"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failed_write_says_so_and_leaves_the_old_file(tmp_path, monkeypatch, step):
    file = tmp_path / "a.bin"
    file.write_bytes(b"old")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="a.bin was not saved, and an earlier one is "
                       "untouched: No space left"):
        files.write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.bin"]


def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path,
                                                                   monkeypatch):
    file = tmp_path / "a.bin"
    file.write_bytes(b"old")

    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        files.write_whole(file, b"new")
    assert file.read_bytes() == b"old" and os.listdir(tmp_path) == ["a.bin"]


def test_a_folder_that_is_not_there_is_one_clear_sentence(tmp_path):
    with pytest.raises(OSError, match="a.bin was not saved, and an earlier one is "
                       "untouched: No such file"):
        files.write_whole(tmp_path / "none" / "a.bin", b"new")
