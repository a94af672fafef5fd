"""files: written whole or not at all, read however an editor saved it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from softdict.texts import files
from softdict.texts.files import alone, cache_folder, read_lines, write_whole


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path, monkeypatch, broken):
    path = tmp_path / "model.bin"
    write_whole(path, b"old")
    assert path.read_bytes() == b"old"

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, broken, full)
    with pytest.raises(OSError, match="model.bin was not saved, and an earlier one is "
                       "untouched: No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["model.bin"]


def test_an_interruption_leaves_the_old_file_and_no_part(tmp_path, monkeypatch):
    path = tmp_path / "model.bin"
    write_whole(path, b"old")

    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["model.bin"]


def test_what_is_no_folder_on_the_way_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(OSError, match="x was not saved.*: .*directory"):
        write_whole(tmp_path / "file" / "x", b"new")
    with pytest.raises(OSError, match="x was not saved.*: No such file or directory"):
        write_whole(tmp_path / "nowhere" / "x", b"new")
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes")
def test_a_folder_or_a_device_is_never_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(OSError, match="a folder or a device has this name"):
            write_whole(tmp_path / name, b"new")
    assert (tmp_path / "pipe").is_fifo() and len(os.listdir(tmp_path)) == 2


def test_two_processes_may_write_at_once(tmp_path, monkeypatch):
    """Each has a part of its own; the file is one of the two."""
    numbers = iter(range(1000))
    monkeypatch.setattr(files.os, "getpid", lambda: next(numbers))
    path, contents = tmp_path / "file", [bytes([k]) * 50_000 for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: write_whole(path, content), contents))
    assert path.read_bytes() in contents and os.listdir(tmp_path) == ["file"]


def test_of_two_processes_on_one_file_the_second_is_told(tmp_path):
    path = tmp_path / "x.safetensors"
    hold = ("import sys\nfrom softdict.texts.files import alone\n"
            "with alone(sys.argv[1]):\n    print(flush=True)\n    sys.stdin.read()\n")
    with subprocess.Popen([sys.executable, "-c", hold, path], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(ValueError, match="^another process is at work on x.safe"):
            with alone(path):
                pytest.fail("two at once")
        other.kill()    # whatever ends a process, it holds nothing up
    with alone(path), alone(tmp_path / "y.safetensors"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_file_system_without_locks_is_no_hindrance(tmp_path, monkeypatch):
    def none(*arguments, **more):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(files, "lock", none)
    with alone(tmp_path / "x"):
        pass


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "cut"])
def test_lines_are_the_same_however_they_were_saved(tmp_path, mark, end, last):
    path = tmp_path / "text"
    path.write_bytes(mark + end.join([b"one", b"", "둘\u2028\x85".encode()])
                     + end * last)
    assert read_lines(path) == ["one", "", "둘\u2028\x85"]


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "text").touch()
    assert read_lines(tmp_path / "text") == []


@pytest.mark.parametrize("content, message", [
    ("one\ndos años\n".encode("latin-1"),
     "^text, line 2: this is not UTF-8; save the file as UTF-8$"),
    (b"one\r\rtr\xe9s", "^text, line 3: this is not UTF-8"),
    ("one\ttwo\n".encode("utf-16"), "^text, line 1: this is not UTF-8"),
    ("one\ttwo\n".encode("utf-16-le"), "^text, line 1: a zero byte; this is no text"),
    (b"one\n\x00\x01", "^text, line 2: a zero byte")])
def test_another_encoding_and_a_binary_file_are_refused_by_line(
        tmp_path, content, message):
    (tmp_path / "text").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_lines(tmp_path / "text")


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no /dev")
def test_folders_and_devices_are_not_read(tmp_path):
    for path in (tmp_path, "/dev/null"):
        with pytest.raises(ValueError, match="is a folder or a device; a text file"):
            read_lines(path)


@pytest.mark.skipif(sys.platform == "win32", reason="another folder there")
def test_where_the_cache_lies(monkeypatch, tmp_path):
    monkeypatch.setenv("SOFTDICT_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("SOFTDICT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "softdict"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "softdict"
