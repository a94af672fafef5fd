"""Files: written whole or not at all, read in one encoding, and kept where they may
be."""

import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:    # Windows
    import msvcrt

LINE_END = re.compile("\r\n|\r|\n")


def write_whole(path, *content):
    """Writes bytes to a file so that an interruption leaves the old file or the new.

    raises OSError, with a sentence, where that cannot be done
    """
    path = Path(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")    # two may write at once
    try:
        if path.exists() and not path.is_file():    # a device must not be replaced
            raise OSError(None, "a folder or a device has this name")
        with open(part, "wb") as file:
            file.writelines(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno,
                      f"{path.name} was not saved, and an earlier one is untouched: "
                      f"{error.strerror or error}", str(path.parent)) from error
    finally:
        remove(part)


@contextmanager
def alone(path):
    """Works on a file that no other process works on; a lock lies beside it meanwhile.

    the system takes the lock back when its process ends, however it ends
    raises ValueError, with one sentence, where another process has it
    """
    path = Path(path)
    mark = path.with_name(f".{path.name}.lock")
    try:
        with open(mark, "ab") as held:
            try:
                lock(held)
            except (BlockingIOError, PermissionError):
                raise ValueError(f"another process is at work on {path.name}: wait "
                                 "until it has ended, or stop it") from None
            except OSError:
                pass    # a file system without locks
            try:
                yield
            finally:
                remove(mark)
    finally:
        if os.name == "nt":    # Windows keeps what is open, for whoever has it
            remove(mark)


def remove(path):
    """Removes a file, where that can be done."""
    with suppress(OSError):
        path.unlink()


def lock(file):
    """Locks an open file for this process; BlockingIOError if another one has it."""
    if os.name == "nt":
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def read_lines(path):
    """The lines of a UTF-8 file, with or without a byte order mark, however they end.

    raises ValueError, with file and line, where it is not UTF-8 or holds a zero byte
    """
    path = Path(path)
    if path.is_dir() or path.is_char_device() or path.is_block_device():
        raise ValueError(f"{path} is a folder or a device; a text file is needed")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # its object is what stands behind a mark
        line = len(LINE_END.findall(error.object[:error.start].decode("utf-8"))) + 1
        raise ValueError(f"{path.name}, line {line}: this is not UTF-8; "
                         "save the file as UTF-8") from None
    lines = LINE_END.split(text)
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise ValueError(f"{path.name}, line {number}: a zero byte; this is no "
                             "text, or not UTF-8")
    return lines[:-1] if lines[-1] == "" else lines


def cache_folder():
    """Where softdict keeps what it can make again: SOFTDICT_CACHE, if that is set.

    raises RuntimeError for a user without a home
    """
    chosen = os.environ.get("SOFTDICT_CACHE")
    if chosen:
        return Path(chosen)
    home = "LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME"
    return Path(os.environ.get(home) or Path.home() / ".cache") / "softdict"
