"""Quotes and package: each check takes a `Book` and yields one sentence for each thing that is wrong."""

import ast
import builtins
import importlib
import json
import os
import subprocess
import symtable
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import notebooks as files
from books import dotted

FLOORS = {
    "lookup": 0, "masks": 0, "vocab": 0, "runtime": 0, "figures": 0, "corpus": 0,
    "attention": 1, "layers": 1, "batches": 1, "baselines": 1,
    "heads": 2, "seq2seq": 2, "transformer": 3, "scoring": 3, "checkpoint": 3, "training": 4, "decoding": 4,
    "checks": 5, "translator": 5, "experiments": 6, "__main__": 6}
QUOTED = ["lookup", "masks", "attention", "layers", "heads", "seq2seq", "transformer", "training", "decoding"]
COLAB = {"torch": "2.11.0", "numpy": "2.1.3", "matplotlib": "3.10.8", "tqdm": "4.67.1", "safetensors": "0.6.2"}
NEWER = {"torch": "2.13.0", "numpy": "2.4.6", "matplotlib": "3.11.2", "tqdm": "4.70.1", "safetensors": "0.8.0"}
LACKS = {"sacrebleu": "2.6.0"}    # Colab has none of these: pip may add them, and their own needs move nothing above


# Quotes

def quotes_equal_the_source(book):
    for where, cell in book.cells("code"):
        file = files.quoted_file(cell)
        if file:
            others = [node for node in files.parse(cell.source).body
                      if not files.is_definition(node) and not isinstance(node, (ast.Import, ast.ImportFrom))]
            if others:
                yield f"{where}: a quote holds imports and definitions only, not {ast.unparse(others[0])}"
            try:
                same = files.requote(cell.source, file, book.root) == cell.source
            except ValueError as error:
                yield f"{where}: {error}"
            else:
                if not same:
                    yield f"{where}: the quote differs from {file}; run make quotes"


def answers_equal_their_files(book):
    for where, cell in book.cells("markdown"):
        if "answer" in files.tags(cell):
            folds = [match["file"] for match in files.FOLD.finditer(cell.source)]
            if f"tests/answers/{files.exercise(cell)}.py" not in folds:
                yield f"{where}: the answer does not quote tests/answers/{files.exercise(cell)}.py"
            elif any(not (book.root / file).exists() for file in folds):
                yield f"{where}: there is no file {folds[0]}"
            elif files.FOLD.sub(lambda match: files.answer_fold(match["file"], book.root), cell.source) != cell.source:
                yield f"{where}: the answer differs from its file; run make quotes"


def notebooks_are_written_by_make_quotes(book):
    for path in files.paths(book.root):
        try:
            new = files.as_text(files.requoted(book.notebooks[path.name], path.name, book.root))
        except ValueError as error:
            yield str(error)
        else:
            if new != path.read_text(encoding="utf-8"):
                yield f"{path.name}: make quotes would change the file"


def every_chapter_runs(book):
    assert book.runs or book.failures
    yield from book.failures


def free_names_are_the_modules_own(book):
    for name, (namespace, twins, _) in book.runs.items():
        twin = {id(mine): theirs for mine, theirs in twins}
        for cell in book.notebooks[name].cells:
            if file := files.quoted_file(cell):
                module = vars(importlib.import_module(dotted(file)))
                for free in sorted(free_names(cell.source) & set(module)):
                    mine = namespace.get(free, builtins)
                    if mine is builtins:
                        yield f"{name}, cell {cell.id}: the quote uses {free}, which the notebook does not know"
                    elif mine is not module[free] and twin.get(id(mine), builtins) is not module[free]:
                        yield f"{name}, cell {cell.id}: the quote uses {free}, which is another object in {file}"


def free_names(source):
    """Names that the definitions look up outside themselves."""
    def look(table):
        for symbol in table.get_symbols():
            if symbol.is_global() or table.get_type() == "module" and symbol.is_referenced():
                yield symbol.get_name()
        for child in table.get_children():
            yield from look(child)

    lines = source.splitlines()
    text = "\n".join("\n".join(lines[start:end]) for _, start, end in files.definitions(source))
    return set(look(symtable.symtable(text, "quote", "exec")))


def waiting(book):
    """Public definitions of the quoted modules that no chapter quotes yet."""
    quoted = {(files.quoted_file(cell), name) for _, cell in book.cells("code") if files.quoted_file(cell)
              for name, _, _ in files.definitions(cell.source)}
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        if dotted(file).split(".")[1:2] and dotted(file).split(".")[1] in QUOTED:
            for node in tree.body:
                name = getattr(node, "name", "_")
                if not name.startswith("_") and (file, name) not in quoted:
                    yield f"{dotted(file).removeprefix('softdict.')}.{name}"


# The package

def modules_import_from_floors_below(book):
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        module = dotted(file)
        own = module.split(".")[1] if "." in module else None
        if own and own not in FLOORS:
            yield f"{file}: {own} has no floor in the table"
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for name in sorted(set(files.imports(tree, package))):
            other = name.split(".")[1] if name.startswith("softdict.") else None
            if other in FLOORS and other != own and (own is None or FLOORS[other] >= FLOORS[own]):
                yield f"{file}: imports {other}, which is not on a floor below"


def lower_floors_are_quiet(book):
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        own = dotted(file).split(".")[1:2]
        if own and FLOORS.get(own[0], 9) <= 3 and own[0] not in ("figures", "runtime"):
            for node in ast.walk(tree):
                words = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
                if words == "print" or words in ("torch.device", "device") or words.endswith(".cuda"):
                    yield f"{file}:{node.lineno}: this floor does not print or pick a device"
            if any(name.startswith("matplotlib") for name in files.imports(tree)):
                yield f"{file}: this floor does not plot"


def ranges_leave_colab_alone(book):
    project = tomllib.loads((book.root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    moved = set(installed_on_colab(project["dependencies"])) - {"softdict", *LACKS}
    if moved:
        yield f"pyproject.toml: on Colab pip would install {', '.join(sorted(moved))}"


def installed_on_colab(dependencies):
    """What pip would install for a package with these dependencies on Colab, where newer versions are on offer."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        venv.create(folder / "colab", with_pip=False)
        site = next((folder / "colab").rglob("site-packages"))
        for name, version in COLAB.items():
            with zipfile.ZipFile(stub_wheel(folder, name, version)) as wheel:
                wheel.extractall(site)
            stub_wheel(folder, name, NEWER[name])
        for name, version in LACKS.items():
            stub_wheel(folder, name, version, requires=["numpy>=1.17"])
        stub_wheel(folder, "softdict", "0.1.0", dependencies)
        python = folder / "colab" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        found = subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(python), "install", "--dry-run", "--no-index", "--quiet",
             "--disable-pip-version-check", "--find-links", str(folder), "--report", "-", "softdict"],
            capture_output=True, text=True, check=False)
        if found.returncode:
            raise RuntimeError(found.stderr)
        return {part["metadata"]["name"]: part["metadata"]["version"] for part in json.loads(found.stdout)["install"]}


def stub_wheel(folder, name, version, requires=()):
    """A wheel without code; returns its path."""
    info = f"{name}-{version}.dist-info"
    fields = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata = "".join(f"{line}\n" for line in [*fields, *(f"Requires-Dist: {need}" for need in requires)])
    contents = {"METADATA": metadata, "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in contents.items():
            wheel.writestr(f"{info}/{file}", text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{info}/{file},,\n" for file in [*contents, "RECORD"]))
    return path


CHECKS = [
    quotes_equal_the_source, answers_equal_their_files, notebooks_are_written_by_make_quotes, every_chapter_runs,
    free_names_are_the_modules_own, modules_import_from_floors_below, lower_floors_are_quiet,
    ranges_leave_colab_alone]
