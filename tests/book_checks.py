"""Quotes and package.

Each check takes a `Book` and yields one sentence for each thing that is wrong.
"""

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

import notebooks as files
from books import dotted

import softdict

FLOOR = re.compile(r"^ {4}(\d+) +([\w.]+)  ", re.MULTILINE)    # a line of the map
FLOORS = {name: int(floor) for floor, name in FLOOR.findall(softdict.__doc__)}
QUOTED = ["lookup", "masks", "attention", "layers", "heads", "seq2seq", "transformer",
          "cache", "variants", "training", "decoding", "sampling", "linear_attention"]
COLAB = {"torch": "2.11.0", "numpy": "2.1.3", "matplotlib": "3.10.8", "tqdm": "4.67.1",
         "safetensors": "0.6.2", "tokenizers": "0.22.1"}
NEWER = {"torch": "2.13.0", "numpy": "2.4.6", "matplotlib": "3.11.2", "tqdm": "4.70.1",
         "safetensors": "0.8.0", "tokenizers": "0.23.3"}
LACKS = {"sacrebleu": "2.6.0"}    # Colab has none: pip adds it, and moves nothing else
# Public definitions that no chapter needs, each with the reason. What a chapter quotes
# after all comes off the list.
DECLARED = {    # public, and on no page: why
    "cache.check_attentions": "a sentence for layers that no cache can serve",
    "cache.check_decoder": "a sentence for decoders that no cache can serve",
    "cache.check_pads": "a sentence for encoders that pads reach",
    "cache.check_same": "asks a model of one's own what must be the same twice",
    "cache.check_steps": "a sentence for models that decode as another",
    "cache.strict": "a table on a GPU that says what it has not",
    "cache.disturb": "noise on the weights of a model that is asked",
    "cache.foreign": "parts that the package's own tests do not know",
    "decoding.NoRepeatNgrams": "stands in front of a model, for any search",
    "decoding.repeats": "what NoRepeatNgrams hides, found in whole tensors",
    "layers.attend_of": "finds what a part attends with, wherever it keeps it",
    "heads.attending": "exchanges what attentions attend with, and puts it back",
    "heads.watched": "an attention that also tells its weights; chapter 10 has them",
    "variants.PostNormDecoderLayer": "PostNormEncoderLayer, quoted, shows the change",
    "variants.UnplacedEmbedding": "Embedding without its last addition",
    "variants.LearnedEmbedding": "Embedding with LearnedPositions, which is quoted",
}


# Quotes

def quotes_equal_the_source(book):
    for where, cell in book.cells():
        is_code = cell.cell_type == "code"
        requote = files.requote if is_code else files.requote_fence
        for line in re.findall(r"^# src/softdict/.*", cell.source, re.MULTILINE):
            if not re.fullmatch(r"# src/softdict/[\w/]+\.py", line):
                yield f"{where}: the line {line!r} names no file"
        for file, text in files.quotes(cell):
            if others := strangers(text) if is_code else []:
                yield (f"{where}: a quote holds imports and definitions only, not "
                       f"{ast.unparse(others[0])}")
            try:
                same = requote(text, file, book.root) == text
            except ValueError as error:
                yield f"{where}: {error}"
            else:
                if not same:
                    yield f"{where}: the quote differs from {file}; run make quotes"


def strangers(source):
    """Statements of a quote that neither import nor define."""
    return [node for node in files.parse(source).body
            if not files.is_definition(node)
            and not isinstance(node, (ast.Import, ast.ImportFrom))]


def answers_equal_their_files(book):
    for where, cell in book.cells("markdown"):
        if "answer" in files.tags(cell):
            own = files.answer_file(f"{files.exercise(cell)}.py")
            folds = [files.answer_file(match["name"])
                     for match in files.FOLD.finditer(cell.source)]
            if own not in folds:
                yield f"{where}: the answer does not quote {own}"
            elif any(not (book.root / file).exists() for file in folds):
                yield f"{where}: there is no file {folds[0]}"
            elif files.with_quotes(cell.source, book.root) != cell.source:
                yield f"{where}: the answer differs from its file; run make quotes"


def notebooks_are_written_by_make_quotes(book):
    for path in files.paths(book.root):
        try:
            new = files.requoted(book.notebooks[path.name], path.name, book.root)
        except ValueError as error:
            yield str(error)
        else:
            if files.as_text(new) != path.read_text(encoding="utf-8"):
                yield f"{path.name}: make quotes would change the file"


def pages_are_written_by_make_quotes(book):
    try:
        new = files.requoted_pages(book.root)
    except ValueError as error:
        yield str(error)
    else:
        for path, text in new.items():
            if text != path.read_text(encoding="utf-8"):
                yield f"{path.name}: make quotes would change the file"


def every_chapter_runs(book):
    assert set(book.runs) <= set(book.notebooks)    # they are run now, if not before
    yield from book.failures


def free_names_are_the_modules_own(book):
    for name, ran in book.runs.items():
        yield from (f"{name}, {words}" for words in ran.strange)


def waiting(book):
    """Public definitions of the quoted modules that no chapter quotes."""
    quoted = {(file, name) for _, cell in book.cells()
              for file, text in files.quotes(cell) for name in files.shown(text)}
    for file, name in public(book):
        if dotted(file).split(".")[1] in QUOTED and (file, name) not in quoted:
            yield f"{dotted(file).removeprefix('softdict.')}.{name}"


def public(book):
    """File and name of each public function and class of the package."""
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        for node in tree.body:
            name = getattr(node, "name", "_")
            if not name.startswith("_") and "." in dotted(file):
                yield file, name


def undeclared(book, declared=DECLARED):
    """What is wrong with the list of public definitions that no chapter needs."""
    found = set(waiting(book))
    known = {f"{dotted(file).removeprefix('softdict.')}.{name}"
             for file, name in public(book)}
    for name in sorted(found - set(declared)):
        yield f"no chapter quotes {name}: quote it, or give DECLARED the reason"
    for name in sorted(set(declared) - found):
        fault = "is quoted now" if name in known else "does not exist"
        yield f"{name} {fault}: take it off DECLARED"
    for name, reason in declared.items():
        if len(reason.split()) < 3:
            yield f"{name} stands on DECLARED without a reason"


# The package

def on_the_map(module):
    """What the map calls a module: a part of `softdict`, or of a package that serves.

    None for softdict itself and for packages that hold nothing but others
    """
    names = module.split(".")[1:3]
    if names[:1] and names[0] in ("texts", "saving", "programs"):
        return ".".join(names) if len(names) == 2 else None
    return names[0] if names else None


def modules_import_from_floors_below(book):
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        module = dotted(file)
        own = on_the_map(module)
        if own and own not in FLOORS:
            yield f"{file}: {own} has no floor on the map in softdict/__init__.py"
            continue
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for name in sorted(set(files.imports(tree, package))):
            other = on_the_map(name) if name.startswith("softdict.") else None
            if other in FLOORS and other != own:
                if own is None or FLOORS[other] >= FLOORS[own]:
                    yield f"{file}: imports {other}, which is not on a floor below"


def lower_floors_are_quiet(book):
    for path, tree in book.modules.items():
        file = path.relative_to(book.root).as_posix()
        own = on_the_map(dotted(file))
        if own and FLOORS.get(own, 9) <= 3 and own not in ("figures", "runtime",
                                                           "programs.distributed"):
            for node in ast.walk(tree):
                words = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
                picks = words in ("torch.device", "device") or words.endswith(".cuda")
                if words == "print" or picks:
                    yield (f"{file}:{node.lineno}: this floor does not print or pick a "
                           "device")
            if any(name.startswith("matplotlib") for name in files.imports(tree)):
                yield f"{file}: this floor does not plot"


def ranges_leave_colab_alone(book):
    text = (book.root / "pyproject.toml").read_text(encoding="utf-8")
    dependencies = tomllib.loads(text)["project"]["dependencies"]
    moved = set(installed_on_colab(dependencies)) - {"softdict", *LACKS}
    if moved:
        yield f"pyproject.toml: on Colab pip would install {', '.join(sorted(moved))}"


def installed_on_colab(dependencies):
    """What pip would install on Colab for a package with these dependencies.

    Newer versions are on offer there.
    """
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
        python = "Scripts/python.exe" if os.name == "nt" else "bin/python"
        found = subprocess.run(
            [sys.executable, "-m", "pip", "--python", str(folder / "colab" / python),
             "install", "--dry-run", "--no-index", "--quiet", "--report", "-",
             "--disable-pip-version-check", "--find-links", str(folder), "softdict"],
            capture_output=True, text=True, check=False)
        if found.returncode:
            raise RuntimeError(found.stderr)
        return {part["metadata"]["name"]: part["metadata"]["version"]
                for part in json.loads(found.stdout)["install"]}


def stub_wheel(folder, name, version, requires=()):
    """A wheel without code; returns its path."""
    info = f"{name}-{version}.dist-info"
    fields = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}",
              *(f"Requires-Dist: {need}" for need in requires)]
    wheel = ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"]
    contents = {"METADATA": "\n".join([*fields, ""]), "WHEEL": "\n".join([*wheel, ""])}
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in contents.items():
            wheel.writestr(f"{info}/{file}", text)
        wheel.writestr(f"{info}/RECORD",
                       "".join(f"{info}/{file},,\n" for file in [*contents, "RECORD"]))
    return path


CHECKS = [
    quotes_equal_the_source, answers_equal_their_files,
    notebooks_are_written_by_make_quotes, pages_are_written_by_make_quotes,
    every_chapter_runs, free_names_are_the_modules_own,
    modules_import_from_floors_below, lower_floors_are_quiet, ranges_leave_colab_alone]
