"""tools/notebooks.py: what it rewrites, strips, stores; what makes a notebook stale."""

import errno
import json
import os
import re
import subprocess
import sys
import zipfile
from base64 import b64decode

import book_checks
import nbformat
import notebooks as files
import pytest
from books import ROOT, Book
from sample import code, fence, folded, markdown
from test_book import ABRIDGED, SHADES, abridge

SETUP = """\
import importlib.util
if importlib.util.find_spec("softdict") is None:    # on Colab: get the book's package
    from google.colab import drive
    drive.mount("/content/drive")
    %pip install -q /content/drive/MyDrive/softdict/softdict-*.whl
# import softdict; softdict.keep_in_drive()    # remove the first # to keep your work"""


def cell(sample, id):
    return next(cell for cell in files.read(sample.path).cells if cell.id == id)


# make quotes

def test_quotes_are_written_from_the_file(sample):
    source = (sample.root / "src/softdict/lookup.py").read_text(encoding="utf-8")
    quote = cell(sample, "quote").source
    softmax, lookup = (f"def {part}" for part in quote.split("def ")[1:])
    assert quote.startswith("# src/softdict/lookup.py\ndef")
    assert softmax in source and "return" in softmax and lookup in source


def test_imports_order_and_decorators_of_a_quote_are_kept(sample):
    sample.write("src/softdict/masks.py", "import functools\n\nSIZE = 3\n\n\n"
                 "@functools.cache\ndef a():\n    # why\n    return SIZE\n")
    sample.add(code("masks", "# src/softdict/masks.py\nimport functools\n\n\n"
                             "def a(): pass\n\n\nSIZE = 0"))
    files.rewrite_quotes(root=sample.root)
    assert cell(sample, "masks").source == (
        "# src/softdict/masks.py\nimport functools\n\n\n"
        "@functools.cache\ndef a():\n    # why\n    return SIZE\n\n\nSIZE = 3")


EARLIER = '''\
class First:
    """One."""

    def forward(self, x):
        """As it is."""
        x = x + 1    # [B]
        return x
'''
LATER = '''\
class Second(First):
    """Two,

    on two lines."""

    def forward(self, x):
        """Another."""
        # it stays so
        x = x + 1
        both = "a line so long that no mark has a place behind it, for it ends here" + x
        return x + both    # [B]
'''


def test_what_is_new_beside_an_earlier_class_is_marked(sample):
    sample.write("src/softdict/masks.py", f"{EARLIER}\n\n{LATER}")
    head = "# src/softdict/masks.py\n# new beside softdict.masks.First\n"
    sample.add(code("masks", f"{head}class Second: pass"))
    sample.add(markdown("abridged", f"```python\n{head}class Second(First):\n    ...\n"
                        "    def forward(self, x):\n        pass\n```"))
    files.rewrite_quotes(root=sample.root)
    wanted = LATER.rstrip().replace("        both =", "        # new\n        both =")
    wanted = wanted.replace("# [B]", "# [B]    # new")
    assert cell(sample, "masks").source == head + wanted
    method = wanted[wanted.index("    def"):]
    assert cell(sample, "abridged").source == (
        f"```python\n{head}class Second(First):\n    ...\n{method}\n```")
    files.rewrite_quotes(root=sample.root)    # again: the same
    assert cell(sample, "masks").source == head + wanted
    assert list(book_checks.quotes_equal_the_source(Book(sample.root))) == []
    sample.edit("src/softdict/masks.py", "First:", "Other:")
    with pytest.raises(ValueError, match="masks.py defines no First"):
        files.rewrite_quotes(root=sample.root)


def test_answers_links_and_setup_are_written_from_their_source(sample):
    sample.edit("_config.yml", "a/b\n  branch: main", "c/d\n  branch: next")
    sample.edit("tests/answers/01/01-1.py", "larger", "bigger")
    files.rewrite_quotes(root=sample.root)
    answer = cell(sample, "answer-1").source
    assert "bigger = number + 1" in answer and "# tests/answers/01/01-1.py\n" in answer
    assert cell(sample, "setup").source == SETUP
    title = cell(sample, "title").source
    site = "(https://colab.research.google.com/github/"
    assert f"{site}c/d/blob/executed/notebooks/01_sample.ipynb)" in title
    assert "(https://github.com/c/d/blob/next/notebooks/01_sample.ipynb)" in title


def test_without_an_owner_nothing_leads_to_an_address(sample):
    sample.edit("_config.yml", "github.com/a/b", "github.com/-/b")
    files.rewrite_quotes(root=sample.root)
    title = cell(sample, "title").source
    assert "how_to_use.html#at-home)" in title
    texts = [title, (sample.root / "README.md").read_text(encoding="utf-8")]
    for path in files.student(root=sample.root):
        texts.append(path.read_text(encoding="utf-8"))
    assert not any("colab.research" in text or "github.com" in text for text in texts)
    assert "[read](notebooks/01_sample.ipynb)" in texts[1]


@pytest.mark.parametrize("there", [True, False])
def test_the_first_cell_installs_what_lies_in_the_drive(there, tmp_path):
    """The cell as Colab runs it, with a pretended Drive and without the package."""
    folder = tmp_path / "drive/MyDrive/softdict"
    made = "Name: softdict\nVersion: 7\nMetadata-Version: 2.1\n"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "softdict-7-py3-none-any.whl", "w") as wheel:
        wheel.writestr("softdict/__init__.py", "")
        wheel.writestr("softdict-7.dist-info/METADATA", made)
        wheel.writestr("softdict-7.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: "
                       "a\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("softdict-7.dist-info/RECORD", "")
    (tmp_path / "google").mkdir()
    (tmp_path / "google/colab.py").write_text(
        "class drive:\n    def mount(place):\n        print('asked for', place)\n")
    script = tmp_path / "cell.ipy"
    lacks = ("import sys, importlib.util as u\nfind = u.find_spec\n"
             "u.find_spec = lambda name: None if name == 'softdict' else find(name)\n"
             if not there else "")
    script.write_text(lacks + SETUP.replace("/content", str(tmp_path)))
    done = subprocess.run(
        [sys.executable, "-m", "IPython", "--quick", str(script)], cwd=tmp_path,
        env={**os.environ, "PIP_TARGET": str(tmp_path / "site"), "PIP_NO_INDEX": "1",
             "PYTHONPATH": str(tmp_path), "IPYTHONDIR": str(tmp_path / "ipython")},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("asked for" in done.stdout) != there
    assert (tmp_path / "site/softdict/__init__.py").exists() != there


def part(sample):
    return cell(sample, "part").source.removeprefix(
        "```python\n# src/softdict/masks.py\n").removesuffix("```")


def test_a_quote_in_markdown_is_written_from_the_file(sample):
    before = cell(sample, "shown").source
    sample.edit("src/softdict/lookup.py", "    return", "    # so\n    return")
    assert files.rewrite_quotes(root=sample.root) == [
        sample.path, sample.root / "CONTRIBUTING.md"]
    assert before.replace("    return", "    # so\n    return") == (
        cell(sample, "shown").source)


def test_a_quote_in_markdown_may_begin_with_the_imports_of_its_file(tmp_path):
    (tmp_path / "one_file").mkdir()
    file = "one_file/machine.py"
    (tmp_path / file).write_text("import math\n\n\ndef root(x):\n    return x\n")
    old = "import math\n\n\ndef root(x):\n    return -x\n"
    cell = f"```python\n# {file}\n{old}```"
    assert "    return x\n" in files.with_quotes(cell, tmp_path)
    for line in ("import os", "print(1)"):
        with pytest.raises(ValueError, match=re.escape(f"not {line}")):
            files.with_quotes(cell.replace("import math", line), tmp_path)


def test_an_abridged_quote_keeps_what_it_leaves_out(sample):
    abridge(sample)
    sample.add(markdown("all", fence("mixed", file="src/softdict/masks.py")))
    files.rewrite_quotes(root=sample.root)
    assert part(sample) == ABRIDGED
    assert SHADES.partition("def mixed")[2] in cell(sample, "all").source + "\n"
    sample.edit("src/softdict/masks.py", "return self.colour + 1", "return 3")
    sample.edit("src/softdict/masks.py", "# half of it", "# the half")
    assert files.rewrite_quotes(root=sample.root) == [sample.path]    # of the whole
    assert part(sample) == ABRIDGED


def test_a_whole_method_of_an_abridged_class_follows_the_file(sample):
    light = "    def light(self):\n        return self.colour + 1"
    abridge(sample, "        return shade\n    ...", f"        return shade\n\n{light}")
    files.rewrite_quotes(root=sample.root)
    assert light in part(sample)
    new = f"    @property\n{light}    # new"
    sample.edit("src/softdict/masks.py", light, new)
    files.rewrite_quotes(root=sample.root)
    assert f"{new}\n\n\ndef mixed" in part(sample)


def test_a_kept_line_that_is_gone_stops_make_quotes(sample):
    abridge(sample)
    sample.edit("src/softdict/masks.py", "self.colour * 0", "0")
    before = sample.path.read_bytes()
    words = "cell part: .*masks.py, Shades: the line 'shade = self.colour . 0' does not"
    with pytest.raises(ValueError, match=words):
        files.rewrite_quotes(root=sample.root)
    assert sample.path.read_bytes() == before


@pytest.mark.parametrize("indent", ["", "    ", " " * 12])
def test_the_dots_of_an_abridged_quote_may_stand_anywhere(indent, sample):
    abridge(sample, "    ...\n    return both", f"{indent}...\n    return both")
    files.rewrite_quotes(root=sample.root)
    assert f"\n{indent}...\n    return both / 2" in part(sample)


@pytest.mark.parametrize("command, broken", [
    ("quotes", "fsync"), ("strip", "replace"), ("outputs", "fsync")])
def test_a_full_disk_leaves_every_file_as_it_was(
        command, broken, sample, monkeypatch, capsys):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "ROOT", sample.root)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    sample.slim()
    sample.source("claim", "print(1 + 1)", "print(2 + 2)    ")
    sample.path.write_bytes(sample.path.read_bytes().replace(b"2 + 2)", b"2 + 2)  "))
    sample.source("title", "<!-- links -->", "<!-- links -->\n")
    before = {file: file.read_bytes() for file in sample.root.glob("*/*.*")}
    monkeypatch.setattr(os, broken, full)
    with pytest.raises(SystemExit) as ended:
        files.main([command, str(sample.path)])
    assert str(ended.value) == (
        "01_sample.ipynb was not written, and the old one is untouched: "
        "No space left on device")
    monkeypatch.undo()
    assert {file: file.read_bytes() for file in sample.root.glob("*/*.*")} == before


def test_quotes_twice_changes_nothing(sample):
    assert files.rewrite_quotes(root=sample.root) == []
    sample.source("quote", "    return", "    return 0,")
    assert files.rewrite_quotes(root=sample.root) == [sample.path]
    assert files.rewrite_quotes(root=sample.root) == []


@pytest.mark.parametrize("breakage, words", [
    (lambda s: s.source("quote", "def softmax", "def softmix"),
     "01_sample.ipynb, cell quote: .* defines no softmix"),
    (lambda s: s.source("quote", "lookup.py", "gone.py"),
     "cell quote: there is no file src/softdict/gone.py"),
    (lambda s: s.source("shown", "lookup.py", "gone.py"),
     "cell shown: there is no file src/softdict/gone.py"),
    (lambda s: s.source("answer-1", "01-1.py", "01-9.py"),
     "cell answer-1: there is no answer tests/answers/01/01-9.py"),
    (lambda s: s.edit("_config.yml", "url:", "address:"),
     "_config.yml needs the book's address"),
    (lambda s: s.source("title", "<!-- /links -->", ""),
     "cell title: the lines <!-- links -->"),
])
def test_what_cannot_be_written_is_refused_in_a_sentence_and_nothing_is_written(
        breakage, words, sample):
    breakage(sample)
    before = sample.path.read_bytes()
    with pytest.raises(ValueError, match=words):
        files.rewrite_quotes(root=sample.root)
    assert sample.path.read_bytes() == before


def test_strip_removes_what_an_editor_leaves(sample):
    clean = sample.path.read_bytes()
    notebook = json.loads(clean)
    notebook["metadata"] = {"colab": {}, "kernelspec": {"name": "mine"},
                            "language_info": {"version": "3.99"}}
    for part in notebook["cells"]:
        part["metadata"]["collapsed"] = True
        part["source"].append("\n")
        if part["cell_type"] == "code":
            part["execution_count"] = 7
    picture = nbformat.v4.new_output("display_data", data={"image/png": "abc"})
    notebook["cells"][7]["outputs"].append(picture)     # the claim keeps its text only
    bar = nbformat.v4.new_output("stream", name="stderr", text="100%|##")
    notebook["cells"][4]["outputs"] = [picture, bar]
    sample.path.write_text(json.dumps(notebook), encoding="utf-8")
    assert files.strip(root=sample.root) == [sample.path]
    assert sample.path.read_bytes() == clean
    assert clean.startswith(b'{\n "cells"') and clean.endswith(b"}\n")


# make student

def test_a_student_copy_has_no_hints_answers_or_outputs(sample):
    [path] = files.student(root=sample.root)
    assert path == sample.root / "_build/student/01_sample.ipynb"
    notebook = files.read(path)
    found = {tag for part in notebook.cells for tag in files.tags(part)}
    assert not {"hint", "answer"} & found
    assert not any(part.get("outputs") for part in notebook.cells)
    kept = {part.id for part in notebook.cells}
    assert kept >= {"stub-1", "check-1", "text-1", "quote", "shown", "recap"}
    assert "larger" not in path.read_text(encoding="utf-8")


def test_a_student_copy_keeps_in_short_without_its_code(sample):
    assert ("cell in-short-fold shows the code of In short"
            in files.leaks(files.read(sample.path), sample.root))
    [path] = files.student(root=sample.root)
    opened, fold = (part.source for part in files.read(path).cells
                    if part.id.startswith("in-short"))
    assert "](https://a.github.io/b/_images/in-short-01.svg)" in opened
    assert "$a + b$" in fold and fold.endswith("</details>")
    assert "torch" not in fold and "```" not in fold


def test_colab_gets_the_pictures_by_their_address(sample):
    executed = sample.root / "_build/executed/01_sample.ipynb"
    files.write(executed, files.read(sample.path))
    before = executed.read_bytes()
    commit = committed(sample)
    [copy] = files.student(root=sample.root)
    path, student = files.published(root=sample.root)
    assert path == sample.root / "_build/published/01_sample.ipynb"
    assert student == sample.root / "_build/published/student/01_sample.ipynb"
    for published in path, student:
        [first] = [one.source for one in files.read(published).cells
                   if one.get("id") == "setup"]
        assert f"%pip install -q git+https://github.com/a/b@{commit}    # v" in first
        assert "drive.mount" not in first
    subprocess.run(["git", "tag", "v9.10"], cwd=sample.root, check=True)
    subprocess.run(["git", "tag", "v9.9"], cwd=sample.root, check=True)
    files.published(root=sample.root)
    assert f"@{commit}    # v9.10\\n" in path.read_text(encoding="utf-8")
    text = path.read_text(encoding="utf-8")
    assert "](https://a.github.io/b/_images/in-short-01.svg)" in text
    assert "](images/" not in text and "(a + a).sum()" in text
    assert executed.read_bytes() == before    # the site is made from it


def test_nothing_is_published_before_the_book_has_an_address(sample):
    config = sample.root / "_config.yml"
    text = config.read_text("utf-8")
    config.write_text(text.replace("https://github.com/a/", files.NOBODY), "utf-8")
    assert not files.has_owner(sample.root)
    with pytest.raises(ValueError, match="make address OWNER/NAME"):
        files.published(root=sample.root)
    assert not (sample.root / "_build/published").exists()


def committed(sample):
    """Commits a sample; returns the hash."""
    def git(*words):
        return subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
            cwd=sample.root, check=True, capture_output=True, text=True).stdout.strip()
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "-m", "All")
    return git("rev-parse", "HEAD")


def test_a_drive_gets_the_pictures_inside(sample):
    [path] = files.for_drive(root=sample.root)
    assert path == sample.root / "_build/colab/softdict/01_sample.ipynb"
    [picture] = files.in_short.drawings(sample.root).values()
    text = path.read_text(encoding="utf-8")
    [held] = re.findall(r"\]\(data:image/svg\+xml;base64,([\w+/=]+)\)", text)
    assert b64decode(held).decode() == picture
    assert "](images/" not in text and "drive.mount" in text


def test_pictures_are_written_by_make_quotes_and_lie_beside_the_copies(sample):
    picture = sample.root / "notebooks/images/in-short-01.svg"
    sample.edit("tools/in_short/chapter_01.py", '"add"', '"sum"')
    assert files.rewrite_quotes(root=sample.root) == [picture]
    assert ">sum</text>" in picture.read_text(encoding="utf-8")
    assert files.rewrite_quotes(root=sample.root) == []
    files.work(root=sample.root)
    copy = sample.root / "work/images/in-short-01.svg"
    assert copy.read_bytes() == picture.read_bytes()


@pytest.mark.parametrize("breakage", [
    lambda s: s.set("answer-1", metadata={}),
    lambda s: s.set("answer-1", metadata={"tags": ["anser", "01-1"]}),
    lambda s: s.source("text-1", "Add 1.", "Add 1, as in\n\n    larger = number + 1\n"),
    lambda s: s.source("stub-1", "raise", "larger = number + 1\n    raise"),
    lambda s: s.add(markdown("leak", "```python\nlarger = number + 1\n```")),
    lambda s: s.add(code("leak", "def mine(number):\n    # so\n"
                                 "    larger = number + 2\n    return larger")),
])
def test_a_student_copy_that_shows_an_answer_is_refused(breakage, sample):
    breakage(sample)
    with pytest.raises(ValueError,
                       match="01_sample.ipynb: cell .* shows .* of 01-[12].py"):
        files.student(root=sample.root)
    assert not (sample.root / "_build").exists()


def test_a_quote_may_show_what_an_exercise_asked_for(sample):
    answer = "def mine(number):\n    larger = number + 2\n    return larger\n"
    sample.write("src/softdict/masks.py", answer)
    sample.add(markdown("late", fence("mine", file="src/softdict/masks.py")))
    files.rewrite_quotes(root=sample.root)
    assert files.student(root=sample.root)


def test_a_student_copy_asks_for_name_and_id_and_says_its_version(sample):
    [path] = files.student(root=sample.root)
    title, copy, name, *_ = files.read(path).cells
    assert title.source.startswith("# ")
    assert "version" in copy.source
    assert "/blob/executed/student/01_sample.ipynb)" in copy.source
    told = {}
    exec(name.source, told)
    assert told["name"] == told["student_id"] == ""


def test_chapters_are_chosen_by_number():
    assert [path.name[:2] for path in files.chosen(["02,C1"])] == ["02", "C1"]
    with pytest.raises(ValueError, match="no chapter '2'"):
        files.chosen(["02,2"])


@pytest.mark.parametrize("path", files.paths(), ids=lambda path: path.stem)
def test_student_copies_of_the_book_show_no_answer(path):
    assert files.leaks(files.student_copy(files.read(path))) == []


def test_what_leads_to_an_answer_is_taken_out_and_looked_for(sample):
    quiz = f"## Quiz\n\n**1.** One and one?\n\n{folded('Answer', 'Two.')}"
    sample.add(markdown("quiz", quiz, "quiz"))
    assert ("cell quiz leads to an answer: <summary>Answer"
            in files.leaks(files.read(sample.path), sample.root))
    [path] = files.student(root=sample.root)
    text = path.read_text(encoding="utf-8")
    assert "One and one?" in text
    assert not any(word in text for word in ("Two.", "Answer", "/blob/executed/note"))
    sample.source("text-1", "Add 1.", "See https://github.com/a/b/blob/executed/"
                  "notebooks/01_sample.ipynb")
    with pytest.raises(ValueError, match="text-1 leads to an answer"):
        files.student(root=sample.root)


# make lab

def edit_by_hand(path):
    path.write_text(path.read_text(encoding="utf-8").replace("Adding", "I add"),
                    encoding="utf-8")


def test_copies_to_work_in_are_made_once_and_never_lost(sample, capsys):
    [path] = files.work(root=sample.root)
    assert path == sample.root / "work/01_sample.ipynb"
    assert not any(part.get("outputs") for part in files.read(path).cells)
    assert files.work(root=sample.root) == []
    edit_by_hand(path)
    mine = path.read_text(encoding="utf-8")
    assert files.work(root=sample.root) == []
    assert path.read_text(encoding="utf-8") == mine
    sample.source("text-1", "Add 1.", "Add one.")
    [beside] = files.work(root=sample.root)
    assert beside.name == "01_sample.newer.ipynb" and "newer" in capsys.readouterr().out
    assert path.read_text(encoding="utf-8") == mine
    assert "Add one." in beside.read_text(encoding="utf-8")
    assert files.work(root=sample.root) == []    # it is said once


def test_a_copy_for_jupyterlab_has_captions_and_folded_checks(sample):
    sample.set("claim", metadata={"tags": ["hide-input"]})
    [path] = files.work(root=sample.root)
    cells = {part.id: part for part in files.read(path).cells}
    assert cells["figure-caption"].source == "*A line.*"
    assert list(cells)[list(cells).index("figure") + 1] == "figure-caption"
    assert cells["claim"].metadata.jupyter.source_hidden
    assert cells["claim"].source.startswith("# This cell checks what the text says.\n")
    assert "jupyter" not in cells["quote"].metadata


def test_a_copy_that_nobody_changed_is_brought_up_to_date(sample):
    [path] = files.work(root=sample.root)
    sample.source("text-1", "Add 1.", "Add one.")
    assert files.work(root=sample.root) == [path]
    assert "Add one." in path.read_text(encoding="utf-8")


def test_a_student_copy_is_never_overwritten_either(sample):
    [path] = files.student(root=sample.root)
    edit_by_hand(path)
    mine = path.read_text(encoding="utf-8")
    files.student(root=sample.root)
    assert path.read_text(encoding="utf-8") == mine


# make outputs

def test_of_outputs_the_text_is_stored(sample, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)    # a kernel's own shows a picture
    sample.drop("quote", "shapes")    # no cell needs torch, which loads for seconds
    sample.set("imports", source="import matplotlib.pyplot as plt")
    sample.set("claim", outputs=[])
    sample.source("claim", "print(1 + 1)", "print(1 + 1)\nprint(3)\n{'answer': 5}")
    files.rewrite_quotes(root=sample.root)
    assert files.store_outputs(root=sample.root) == [sample.path]
    found = [part.get("text") or part.data for part in cell(sample, "claim").outputs]
    assert found == ["2\n3\n", {"text/plain": "{'answer': 5}"}]
    assert cell(sample, "figure").outputs == []
    assert files.rewrite_quotes(root=sample.root) == []
    sample.set("imports", source="import math")
    sample.source("claim", "print(3)", "missing")
    with pytest.raises(ValueError, match="(?s)01_sample.ipynb, cell claim.*NameError"):
        files.store_outputs(root=sample.root)


# What makes a notebook stale

@pytest.mark.parametrize("file", [
    "notebooks/01_sample.ipynb", "requirements.txt", "src/softdict/__init__.py",
    "src/softdict/lookup.py", "src/softdict/layers.py", "src/softdict/masks.py",
    "src/softdict/runtime.py", "src/softdict/assets/results/curves.json",
    "src/softdict/says/shared.toml",
])
def test_a_fingerprint_changes_with_all_that_a_run_depends_on(file, sample):
    sample.write("src/softdict/layers.py", "import softdict.masks as masks")
    sample.write("src/softdict/masks.py",
                 "def f():\n    from . import runtime, sentences")
    sample.write("src/softdict/sentences.py", "")
    sample.write("src/softdict/says/shared.toml", "")
    sample.write("src/softdict/runtime.py", "WHERE = 'results/curves.json'")
    sample.write("src/softdict/assets/results/curves.json", "{}")
    sample.add(code("more", "def f():\n    from softdict import layers"))
    before = files.fingerprint(sample.path, sample.root)
    assert before == files.fingerprint(sample.path, sample.root)
    text = (sample.root / file).read_text(encoding="utf-8")
    sample.write(file, text + "\n")
    assert files.fingerprint(sample.path, sample.root) != before


@pytest.mark.parametrize("call", [
    'softdict.runtime.results("one")', 'softdict.runtime.results(f"o{kind}")',
])
@pytest.mark.parametrize("change", ["changed", "new", "gone"])
def test_a_fingerprint_changes_with_the_results_that_a_chapter_reads(
        call, change, sample):
    sample.write("src/softdict/runtime.py",
                 (ROOT / "src/softdict/runtime.py").read_text(encoding="utf-8"))
    sample.write("src/softdict/assets/results/one.0.json", "{}")
    sample.add(code("more", f"import softdict.runtime\nkind = 'ne'\n{call}"))
    before = files.fingerprint(sample.path, sample.root)
    folder = sample.root / "src/softdict/assets/results"
    if change == "gone":
        (folder / "one.0.json").unlink()
    else:
        name = {"changed": "one.0.json", "new": "one.1.json"}[change]
        (folder / name).write_text('{"seed": 0}')
    assert files.fingerprint(sample.path, sample.root) != before


def test_a_fingerprint_ignores_what_no_run_reaches(sample):
    before = files.fingerprint(sample.path, sample.root)
    sample.write("src/softdict/masks.py", "x = 1")
    sample.write("src/softdict/assets/other.json", "{}")
    sample.write("src/softdict/assets/results/one.0.json", "{}")
    sample.write("book/index.md", "# Another page")
    assert files.fingerprint(sample.path, sample.root) == before


# What readers' answers hang on

def test_what_answers_hang_on_stays():
    assert list(files.lost()) == []


def test_an_id_that_is_gone_is_named_until_its_line_says_why(sample):
    head = "# a head\n"
    sample.write("tests/cell_ids.txt", f"{head}01 01-9\n")
    sample.set("predict", metadata={"predict": {"answer": "a", "until": "recap"}})
    sample.add(markdown("lines-01", "a puzzle", "lines"))
    sample.write("book/practice/01.toml", '[[item]]\nid = "01-next"\n')
    files.ids(root=sample.root)
    assert (sample.root / "tests/cell_ids.txt").read_text("utf-8") == head + (
        "01 01-1\n01 01-2\n01 01-3\n01 01-9\n01 01-next\n01 lines-01\n01 predict\n")
    [line] = files.lost(sample.root)
    assert line.startswith("01 01-9 was published and is gone")
    sample.edit("tests/cell_ids.txt", "01-9", "01-9 gone: it was too hard")
    assert not list(files.lost(sample.root))
    sample.edit("tests/cell_ids.txt", "01-3", "01-3 gone: it was too easy")
    assert list(files.lost(sample.root)) == [
        "01 01-3 is there, and tests/cell_ids.txt says that it is gone"]
    assert files.ids(root=sample.root) == []
    sample.set("predict", metadata={})
    assert "01 predict was" in [*files.lost(sample.root)][-1]


def test_the_command_line(sample, capsys):
    sample.source("recap", "Adding adds.", "Adding adds.\n")
    files.main(["strip", str(sample.path)])
    files.main(["strip", str(sample.path)])
    assert capsys.readouterr().out == f"wrote {sample.path}\nnothing to change\n"
    with pytest.raises(SystemExit, match="usage"):
        files.main(["polish"])
    with pytest.raises(SystemExit, match="gone.ipynb"):
        files.main(["strip", "gone.ipynb"])


def test_a_notebook_that_asks_for_the_device_gets_a_gpu_on_colab(sample):
    assert files.read(sample.path).metadata.get("accelerator") is None
    sample.source("figure", "plt.plot", "device = runtime.device()\nplt.plot")
    files.strip(root=sample.root)
    metadata = files.read(sample.path).metadata
    assert metadata.accelerator == "GPU" and metadata.colab == {"gpuType": "T4"}
    assert files.strip(root=sample.root) == []
