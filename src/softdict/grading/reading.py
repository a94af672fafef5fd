"""Reads one thing that a student handed in, behind the wall: it runs nothing of it.

    python reading.py PATH '["function", ...]'

Two lines of JSON come out: the cells, or why there are none; then the shape of the
named functions. It needs the standard library alone, so that it starts quickly.
"""

import ast
import hashlib
import io
import json
import keyword
import lzma
import os
import re
import stat
import sys
import time
import tokenize
import zipfile
import zlib
from itertools import islice
from pathlib import Path

LARGEST = 20 * 2 ** 20    # bytes of a notebook
MOST_CODE = 2 * 2 ** 20    # letters of all its code cells
MOST_CELLS = 2000
MOST_FILES = 20_000       # in a zip or a folder
MOST_TOLD = 16 * 2 ** 20    # bytes that come out
MEMORY, SECONDS = 2 ** 30, 20
COMPARING = 5    # of these seconds, for the shape of its functions
MOST_COMPARED = 100_000    # letters of code: some more would take all these seconds
SHORTEST = 150    # tokens: shorter code is alike without anybody's copying
NO_NOTEBOOK = "neither a notebook (.ipynb) nor a folder or zip with one"
NONE_INSIDE = "no notebook (.ipynb) in it"
NAMED = re.compile(r"^[ \t]*student_id[ \t]*=[ \t]*[\"']([^\"'\n]{0,100})[\"']",
                   re.MULTILINE)
MAGIC = re.compile(r"^([ \t]*)[%!].*", re.MULTILINE)
LONG_NUMBER = re.compile(r"\d[\d_]{200,}")    # Python refuses some of 4,300 digits


def notebook_bytes(entry):
    """The content of the one notebook of an entry, and what is to be said of it."""
    if entry.is_dir():
        paths = walk(entry)
        found = [path for path in islice(paths, MOST_FILES)
                 if path.suffix.lower() == ".ipynb" and not path.is_symlink()
                 and path.is_file()]
        if next(paths, None):
            raise ValueError(f"more than {MOST_FILES} files")
        return chosen(found, lambda path: path.stat().st_size,
                      lambda path: path.read_bytes(), lambda path: path.name)
    if entry.suffix.lower() == ".zip":
        try:
            return from_zip(entry)
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError,
                RuntimeError, EOFError):
            raise ValueError("a zip that cannot be opened") from None
    if entry.suffix.lower() != ".ipynb":
        raise ValueError(NO_NOTEBOOK)
    if entry.stat().st_size > LARGEST:
        raise ValueError(f"larger than {LARGEST // 2 ** 20} MB")
    return entry.read_bytes(), []


def walk(folder):
    """The files in a folder, without those of tools."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not of_tools(name))
        yield from (Path(place, name) for name in sorted(names))


def of_tools(name):
    """Whether no student has written what lies in a folder of this name."""
    return name.startswith(".") or name in ("__MACOSX", "__pycache__", "node_modules")


def from_zip(entry):
    """The notebook of a zip; nothing is unpacked onto the disk."""
    with zipfile.ZipFile(entry) as archive:
        infos = archive.infolist()
        if len(infos) > MOST_FILES:
            raise ValueError(f"more than {MOST_FILES} files")
        for info in infos:
            if ".." in re.split(r"[/\\]", info.filename) or info.filename[:1] in "/\\":
                raise ValueError("a zip with a name that leads out of it: "
                                 f"{info.filename[:60]!r}")
        found = [info for info in infos if info.filename.lower().endswith(".ipynb")
                 and not any(map(of_tools, info.filename.split("/")[:-1]))
                 and not stat.S_ISLNK(info.external_attr >> 16)]
        return chosen(found, lambda info: info.file_size,
                      lambda info: archive.open(info).read(LARGEST + 1),
                      lambda info: info.filename)


def chosen(found, size, content, name):
    """The largest of the notebooks: the others are copies or checkpoints."""
    if not found:
        raise ValueError(NONE_INSIDE)
    largest = max(found, key=size)
    if size(largest) > LARGEST:
        raise ValueError(f"larger than {LARGEST // 2 ** 20} MB")
    notes = [] if len(found) == 1 else [
        f"{len(found)} notebooks; graded was {name(largest)[:80]!r}, the largest"]
    return content(largest), notes


def cells_of(content):
    """The sources of the code cells of a notebook, in UTF-8, UTF-16 or UTF-32.

    ids, tags and other metadata are not looked at: they may be lost or copied
    """
    try:
        notebook = json.loads(content)
        sources = [cell["source"] if isinstance(cell["source"], str)
                   else "".join(cell["source"])
                   for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError("no notebook: it cannot be read as one") from None
    if not any(source.strip() for source in sources):
        raise ValueError("a notebook without code")
    if len(sources) > MOST_CELLS or sum(map(len, sources)) > MOST_CODE:
        raise ValueError(f"more code than {MOST_CELLS} cells, or than "
                         f"{MOST_CODE // 2 ** 20} MB")
    return sources


def read(entry):
    """What is handed in as a dict: cells, notes and the id that it claims, or the
    problem."""
    try:
        content, notes = notebook_bytes(entry)
        cells = cells_of(content)
    except ValueError as error:
        return {"problem": str(error)}
    except OSError as error:
        return {"problem": f"it cannot be read by everybody: {error.strerror}"}
    except MemoryError:
        return {"problem": "it needs more memory than reading a notebook may"}
    claims = [one.strip() for source in cells[:5] for one in NAMED.findall(source)]
    return {"cells": cells, "notes": notes, "claim": next(filter(None, claims), "")}


def without_magic(source):
    """A cell as Python reads it: if need be without lines that speak to the notebook,
    % and !."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return MAGIC.sub(r"\1pass", source)
    return source


def shape_of(cells, names):
    """A text that is the same for functions that differ in names and layout alone;
    "" for short code.

    raises MemoryError or RecursionError for what cannot be taken apart
    """
    found = {}
    for source in cells:
        try:
            tree = ast.parse(without_magic(LONG_NUMBER.sub("7", source)))
        except (SyntaxError, ValueError):
            continue    # such a cell does not run either
        for part in ast.walk(tree):
            for name in names_of(part) & names:
                found[name] = part
    numbers, shape = {}, []
    for name in sorted(found):
        text = io.StringIO(ast.unparse(found[name]))
        for token in tokenize.generate_tokens(text.readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                shape.append(str(numbers.setdefault(token.string, len(numbers))))
            elif token.type in (tokenize.OP, tokenize.NUMBER, tokenize.NAME):
                shape.append(token.string)
    return (hashlib.sha256(" ".join(shape).encode()).hexdigest()
            if len(shape) >= SHORTEST else "")


def names_of(part):
    """The names that a piece of code gives to a function."""
    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {part.name}
    if isinstance(part, ast.Assign):
        return {target.id for target in part.targets if isinstance(target, ast.Name)}
    return set()


def limit(seconds):
    """Bounds what a hostile file can cost."""
    try:
        import resource
    except ImportError:    # Windows, outside a container
        return
    for name, most in (("AS", MEMORY), ("CPU", seconds), ("CORE", 0)):
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))
        except (ValueError, OSError):
            pass    # macOS has no limit of this kind


def tell(message):
    """One message as a line, at once: the next step may be the last."""
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def main(path, names):
    limit(SECONDS)
    told = read(Path(os.fsdecode(path)))
    tell(told)
    # that no shape is told says that it could not be found
    if "cells" in told and sum(map(len, told["cells"])) <= MOST_COMPARED:
        limit(min(SECONDS, int(time.process_time()) + COMPARING))
        try:
            tell({"shape": shape_of(told["cells"], set(json.loads(names)))})
        except (RecursionError, MemoryError):
            pass


if __name__ == "__main__":
    main(*sys.argv[1:])
