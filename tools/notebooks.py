"""The notebooks as files: what is rewritten in them, stored, stripped, and out of date.

    python tools/notebooks.py quotes     quotes, answer folds, links, minutes, recall
                                        and setup cells, written from their one source,
                                        and the quick reference, from the cells In short
    python tools/notebooks.py student    copies without hints, answers and stored
                                        outputs, below _build/student
    python tools/notebooks.py work       copies to read, run and change, below work
    python tools/notebooks.py outputs    run the notebooks and store the text outputs
                                        that the book claims
    python tools/notebooks.py strip      what an editor left behind, removed
    python tools/notebooks.py ids        adds what readers' answers hang on to the list
                                        of what stays, tests/cell_ids.txt
    python tools/notebooks.py lengths    how long each chapter is: prints rows
    python tools/notebooks.py published  copies of the executed notebooks, below
                                        _build/published, for Colab: it opens a notebook
                                        without its folder, so their pictures come from
                                        the site, and their package from this commit
    python tools/notebooks.py drive      copies for a Drive, below _build/colab: their
                                        pictures stand inside, and their package comes
                                        from the wheel beside them

Each takes the paths of notebooks; without them it takes all. Needs nbformat, and
nbclient to run cells. A file is replaced as a whole or not at all.
"""

import ast
import copy
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

from environment import script, write_whole    # before nbformat

import in_short
import nbformat
import practice
import quick_reference
import shuffled
from lengths import length, minutes, with_hours, with_minutes
from links import linked, site
from real_models import with_models
from nbformat.v4.rwbase import rejoin_lines
from platforms import with_platforms

ROOT = Path(__file__).resolve().parent.parent
CLAIM = "nbval-check-output"    # tags the cells whose text output is compared
ADDRESS = re.compile(r"\bat 0x[0-9a-f]+")    # of an object in memory
BADGES = re.compile(r"<!-- badges -->.*?<!-- /badges -->", re.DOTALL)
LINKS = re.compile(r"<!-- links -->.*?<!-- /links -->", re.DOTALL)
FOLD = re.compile(r"^```python\n# tests/answers/(?:\w\d/)?(?P<name>[\w-]+\.py)\n"
                  r".*?^```$", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^(```python\n# (?P<file>(?:src/softdict|one_file)/[\w/]+\.py)\n)"
                   r"(?P<text>.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"(?<=\]\()images/(in-short-\d\d\.svg)(?=\))")    # its address
SHORT_CODE = re.compile(r"^```python\n(.*?)^```\n*", re.DOTALL | re.MULTILINE)
SETUP = """\
import importlib.util
if importlib.util.find_spec("softdict") is None:    # on Colab: get the book's package
{install}
# import softdict; softdict.keep_in_drive()    # remove the first # to keep your work"""
# what `make colab` makes for a Drive: no address is asked for code
FROM_DRIVE = """\
    from google.colab import drive
    drive.mount("/content/drive")
    %pip install -q /content/drive/MyDrive/softdict/softdict-*.whl"""
# what a release says: git compares the commit's hash with what it is given
FROM_COMMIT = "    %pip install -q git+{url}@{commit}    # {tag}"
NOBODY = "https://github.com/-/"    # no owner on GitHub can have this name


# Reading and writing

def paths(root=ROOT):
    """The chapters in order, then the capstones, C1 and C2."""
    return sorted((root / "notebooks").glob("[0-9C][0-9]_*.ipynb"))


def read(path):
    """The notebook as it stands in the file; nothing is repaired."""
    content = json.loads(Path(path).read_text(encoding="utf-8"))
    return rejoin_lines(nbformat.from_dict(content))


def as_text(notebook):
    """The file of a notebook: sorted JSON, a newline at its end."""
    return nbformat.v4.writes(notebook).rstrip("\n") + "\n"


def write(path, notebook):
    """Writes the file; returns whether it changed."""
    return write_text(path, as_text(notebook))


def write_text(path, text):
    path, content = Path(path), text.encode()
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)
    return True


def python(source):
    """A code cell as plain Python: lines for IPython, such as `%pip`, become `pass`."""
    return re.sub(r"^([ \t]*)[%!].*$", r"\1pass", source, flags=re.MULTILINE)


def parse(source):
    """Syntax tree of a code cell."""
    return ast.parse(python(source))


def tags(cell):
    return cell.metadata.get("tags", [])


def exercise(cell):
    """The exercise that the cell belongs to, such as "01-2", or None."""
    return next((tag for tag in tags(cell) if re.fullmatch(r"[\dC]\d-\d+", tag)), None)


def quoted_file(cell):
    """The file that a code cell quotes, such as "src/softdict/lookup.py", or None."""
    first = cell.source.partition("\n")[0].rstrip()
    match = re.fullmatch(r"# (src/softdict/[\w/]+\.py)", first)
    return match[1] if match and cell.cell_type == "code" else None


def quotes(cell):
    """Pairs of file and text: the quote of a code cell, or those of a Markdown cell."""
    if cell.cell_type == "markdown":
        return [(match["file"], match["text"]) for match in FENCE.finditer(cell.source)]
    return [(quoted_file(cell), cell.source)] if quoted_file(cell) else []


def normalise(notebook):
    """A copy without run counts and editors' metadata; of outputs the text stays.

    a notebook that asks for the device gets a GPU on Colab
    """
    notebook = copy.deepcopy(notebook)
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {
            "display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"}})
    if any("runtime.device()" in cell.source for cell in notebook.cells
           if cell.cell_type == "code"):
        notebook.metadata |= {"accelerator": "GPU", "colab": {"gpuType": "T4"}}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        kept = {key: value for key, value in cell.metadata.items()
                if key in ("live", "mystnb", "predict", "tags")}
        cell.metadata = nbformat.from_dict(kept)
        cell.source = cell.source.rstrip()
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = list(map(text_output, filter(has_text, cell.outputs)))
    return notebook


def has_text(output):
    """Whether it says something: a progress bar and an object's address do not."""
    if output.output_type == "stream":
        return output.name == "stdout" and bool(output.text.strip())
    text = output.get("data", {}).get("text/plain", "")
    return (output.output_type == "execute_result" and bool(text)
            and not ADDRESS.search(text))


def text_output(output):
    """The output with its text alone: no picture, no HTML, no run count."""
    if output.output_type == "stream":
        return nbformat.v4.new_output("stream", name=output.name, text=output.text)
    text = {"text/plain": output.data["text/plain"]}
    return nbformat.v4.new_output("execute_result", data=text)


# Quotes

def is_definition(node):
    """A def, a class, or the assignment of a constant."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(node, kinds) or defined_name(node) is not None


def defined_name(node):
    if (isinstance(node, ast.Assign) and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)):
        return node.targets[0].id
    return getattr(node, "name", None)


def definitions(source, owner=None):
    """Name, first line and last line (from 0, last excluded), decorators included.

    Those of the source; with an owner, those in the body of that class.
    """
    nodes = ast.parse(source).body
    if owner:
        nodes = next(node for node in nodes if defined_name(node) == owner).body
    for node in nodes:
        if is_definition(node):
            heads = [node, *getattr(node, "decorator_list", [])]
            first = min(part.lineno for part in heads) - 1
            yield defined_name(node), first, node.end_lineno


def texts(source, owner=None):
    """The text of each definition, by its name."""
    lines = source.splitlines()
    return {name: "\n".join(lines[start:end])
            for name, start, end in definitions(source, owner)}


def read_quoted(file, root=ROOT):
    if not (root / file).is_file():
        raise ValueError(f"there is no file {file} to quote")
    return (root / file).read_text(encoding="utf-8")


def requote(source, file, root=ROOT):
    """The quote with each definition as it stands in the file, in the quote's order."""
    known, lines = texts(read_quoted(file, root)), source.splitlines()
    earlier = BESIDE.search(source)
    for name, start, end in reversed(list(definitions(source))):
        if name not in known:
            raise ValueError(f"{file} defines no {name}")
        new = new_lines(known[name], *earlier.groups(), root) if earlier else ()
        lines[start:end] = marked(known[name], new).splitlines()
    return "\n".join(lines)


# the second line of a quote: the class beside which it says what is new
BESIDE = re.compile(r"^# new beside softdict\.([\w.]+)\.(\w+)\n", re.MULTILINE)
NEW, LONGEST_LINE = "# new", 88


def new_lines(text, module, name, root=ROOT):
    """The lines of code of a definition that an earlier one lacks."""
    file = f"src/softdict/{module.replace('.', '/')}.py"
    known = texts(read_quoted(file, root))
    if name not in known:
        raise ValueError(f"{file} defines no {name}")
    before = {code_of(line) for line in known[name].splitlines()} | {""}
    [node] = ast.parse(text).body
    said = (part.body[0] for part in ast.walk(node) if isinstance(
        part, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(part))
    silent = {number for words in said
              for number in range(words.lineno, words.end_lineno + 1)}
    return {line for number, line in enumerate(text.splitlines(), 1)
            if number > 1 and number not in silent and code_of(line) not in before}


def code_of(line):
    return re.sub(r"(^|  +)# .*", "", line).strip()


def marked(text, new):
    """A text with a mark behind each of the new lines, or above one that is long."""
    lines = []
    for line in text.splitlines():
        mark = f"{line}    {NEW}"
        if line in new and len(mark) > LONGEST_LINE:
            lines += [" " * (len(line) - len(line.lstrip())) + NEW, line]
        else:
            lines.append(mark if line in new else line)
    return "\n".join(lines)


def unmarked(text):
    return re.sub(rf"^ *{NEW}\n|    {NEW}$", "", text, flags=re.MULTILINE)


# Quotes in Markdown: never run, so they may leave lines out, by a line `...`

def definition_at(indent, more=""):
    """Pattern of a definition at this indentation, with the blank lines after it."""
    return re.compile(
        rf"^(?:{indent}@.*\n)*{indent}(?:(?:async )?def |class |(?=\w+ = ))(\w+).*\n"
        rf"(?:(?:{indent}[ )\]}}{more}].*)?\n)*", re.MULTILINE)


FUNCTION, METHOD = definition_at("", more="."), definition_at(" " * 4)


def requote_fence(text, file, root=ROOT):
    """A quote in Markdown as it should stand.

    A definition without `...` is written whole, and so is each method of a class that
    leaves others out. Any other line must stand in the file; `...` stands for the rest.
    """
    source = read_quoted(file, root)
    known = texts(source)
    earlier = BESIDE.search(text)
    text = unmarked(BESIDE.sub("", text)) if earlier else text
    for line in filter(None, FUNCTION.sub("", text).splitlines()):
        if not line.startswith(("import ", "from ")) or line not in source.splitlines():
            raise ValueError("a quote holds definitions and imports of its file only, "
                             f"not {line}")

    def renewed(match):
        name = match[1]
        if name not in known:
            raise ValueError(f"{file} defines no {name}")
        quote = whole(match, known)
        if re.match(r"(@.*\n)*class ", quote):
            methods = texts(source, name)
            quote = METHOD.sub(lambda match: whole(match, methods), quote)
        quote = kept(quote, known[name], f"{file}, {name}")
        if not earlier:
            return quote
        new = new_lines(known[name], *earlier.groups(), root)
        return marked(quote, new) + quote[len(quote.rstrip("\n")):]

    return (earlier[0] if earlier else "") + FUNCTION.sub(renewed, text)


def shown(text):
    """Names of the definitions that a quote shows, whole or in part."""
    return [match[1] for match in FUNCTION.finditer(f"{text}\n")]


def whole(match, known):
    """The matched definition; its text as known, unless lines are left out."""
    if is_abridged(match[0]) or match[1] not in known:
        return match[0]
    return known[match[1]] + match[0][len(match[0].rstrip("\n")):]


def is_abridged(text):
    return any(line.strip() == "..." for line in text.splitlines())


def kept(quote, original, where):
    """The quote, if its lines stand in the original so, and `...` for the others."""
    lines = filled_lines(quote)
    original = "".join(f"{line}\n" for line in filled_lines(original))
    parts = [r"(?:.*\n)+" if line.strip() == "..." else re.escape(line) + r"\n"
             for line in lines]
    if re.fullmatch("".join(parts), original):
        return quote
    for number, line in enumerate(lines, 1):
        if not re.match("".join(parts[:number]), original):
            fault = ("leaves nothing out" if line.strip() == "..."
                     else "does not follow there")
            raise ValueError(f"{where}: the line {line.strip()!r} {fault}")
    raise ValueError(f"{where}: more follows on {line.strip()!r}: end with '...'")


def filled_lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


# All that has its source elsewhere

def repository(root=ROOT):
    """The book's address and branch, from the one place where they stand."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    entry = re.search(r"^\s*repository:(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    url = entry and re.search(r"\burl\s*:\s*[\"']?([^\s,}\"']+)", entry[1])
    if not url:
        raise ValueError("_config.yml needs the book's address: "
                         "repository: {url: https://..., branch: main}")
    branch = re.search(r"\bbranch\s*:\s*[\"']?([^\s,}\"']+)", entry[1])
    return url[1], branch[1] if branch else "main"


def has_owner(root=ROOT):
    """False until `make address` has said who publishes the book."""
    return not repository(root)[0].startswith(NOBODY)


def setup(install=FROM_DRIVE):
    """The first code cell: it installs the package where it is missing."""
    return SETUP.format(install=install)


def colab(name, root=ROOT, folder="notebooks"):
    """The address that opens an executed chapter, or another file, in Colab."""
    site = "https://colab.research.google.com/github/"
    url = repository(root)[0].replace("https://github.com/", site)
    return f"{url}/blob/executed/{folder}/{name}"


def links(name, root=ROOT):
    """The line under a chapter's title: where to run it, and its source."""
    url, branch = repository(root)
    if not has_owner(root):
        return ("<!-- links -->\n[Run it at home, or on Colab]"
                f"({site(root)}book/how_to_use.html#at-home)\n<!-- /links -->")
    return (f"<!-- links -->\n[Open in Colab]({colab(name, root)}) · "
            f"[Source on GitHub]({url}/blob/{branch}/notebooks/{name})\n"
            "<!-- /links -->")


def badges(root=ROOT):
    """README's table of chapters: where to read and to run each.

    without an owner nothing is published: then only files of this folder are named
    """
    if not has_owner(root):
        rows = ["<!-- badges -->", "| Chapter | Read |", "|---|---|"]
        for path in paths(root):
            rows.append(f"| {named(path)} | [read](notebooks/{path.name}) |")
        return "\n".join([*rows, "<!-- /badges -->"])
    rows = ["<!-- badges -->", "| Chapter | Read | Run it now |", "|---|---|---|"]
    for path in paths(root):
        button = f"![Open chapter {path.name[:2]} in Colab](book/images/colab.svg)"
        page = f"{site(root)}notebooks/{path.stem}.html"
        rows.append(f"| {named(path)} | [read]({page}) "
                    f"| [{button}]({colab(path.name, root)}) |")
    return "\n".join([*rows, "<!-- /badges -->"])


def named(path):
    """Number and title of a chapter, from its first line."""
    title = read(path).cells[0].source.partition("\n")[0]
    return title.removeprefix("# ").replace(" · ", " ")


def with_badges(readme, root=ROOT):
    """The text of README with its table of chapters written afresh."""
    if not BADGES.search(readme):
        raise ValueError("README.md: the lines <!-- badges --> and <!-- /badges --> "
                         "are missing")
    return BADGES.sub(lambda match: badges(root), readme)


def answer_file(name):
    """Where an answer stands: 01-2.py in the folder of chapter 01."""
    return f"tests/answers/{name[:2]}/{name}"


def answer_fold(name, root=ROOT):
    file = answer_file(name)
    if not (root / file).is_file():
        raise ValueError(f"there is no answer {file} to quote")
    answer = (root / file).read_text(encoding="utf-8").strip()
    return f"```python\n# {file}\n{answer}\n```"


def with_quotes(text, root=ROOT):
    """Markdown with its quotes of the package and of answers written afresh."""
    def fence(match):
        return match[1] + requote_fence(match["text"], match["file"], root)

    text = FENCE.sub(fence, text)
    return FOLD.sub(lambda match: answer_fold(match["name"], root), text)


def requoted(notebook, name, root=ROOT):
    """A copy, normalised, in which all that has its source elsewhere is new."""
    notebook = with_recall(normalise(notebook), name, root)
    for cell in notebook.cells:
        try:
            if puzzle := shuffled.CELL.fullmatch(cell.get("id", "")):
                cell.source = shuffled.markdown(puzzle[1], root)
            elif file := quoted_file(cell):
                cell.source = requote(cell.source, file, root)
            elif cell.cell_type == "markdown":
                cell.source = linked(with_quotes(cell.source, root), name, root)
        except (ValueError, SyntaxError, OSError) as error:
            raise ValueError(f"{name}, cell {cell.get('id')}: {error}") from error
        if cell.get("id") == "title":
            if not LINKS.search(cell.source):
                raise ValueError(f"{name}, cell title: the lines <!-- links --> and "
                                 "<!-- /links --> are missing")
            cell.source = LINKS.sub(lambda match: links(name, root), cell.source)
        if cell.get("id") == "setup":
            cell.source = setup()
    return with_minutes(notebook)


def with_recall(notebook, name, root=ROOT):
    """A notebook with its questions from earlier chapters, right behind its recap."""
    cells = notebook.cells = [cell for cell in notebook.cells
                              if cell.get("id") != "recall"]
    if not (text := practice.cell_text(name[:2], root=root)):
        return notebook
    recaps = [place for place, cell in enumerate(cells) if cell.get("id") == "recap"]
    if not recaps or "## Going further" in cells[recaps[0]].source:
        raise ValueError(f"{name}: needs a cell recap that ends before *Going "
                         "further*: its recall stands between the two")
    cells.insert(recaps[0] + 1, nbformat.v4.new_markdown_cell(
        text, id="recall", metadata={"tags": ["recall"]}))
    return notebook


def requoted_pages(root=ROOT, new={}):
    """README with both its tables, CONTRIBUTING with its quotes, the book's pages with
    their links, and the quick reference, as they should stand.

    new: notebooks by the names of their files, which the files do not hold yet
    """
    readme, contributing = root / "README.md", root / "CONTRIBUTING.md"
    named = {path.stem: new.get(path.name) or read(path) for path in paths(root)}
    chapters = {name[:2]: notebook for name, notebook in named.items()}
    texts = {path: path.read_text(encoding="utf-8")
             for path in sorted((root / "book").glob("*.md"))}
    if reference := quick_reference.page(named, root):
        texts[root / quick_reference.PAGE] = reference
    pages = {path: linked(with_models(with_hours(text, chapters), root), path.name,
                          root, folder="../notebooks/") for path, text in texts.items()}
    try:
        quotes = with_quotes(contributing.read_text(encoding="utf-8"), root)
    except (ValueError, SyntaxError) as error:
        raise ValueError(f"{contributing.name}: {error}") from error
    front = with_platforms(readme.read_text(encoding="utf-8"), root)
    return {readme: with_badges(front, root),
            contributing: quotes, **pages}


def rewrite_quotes(notebooks=None, root=ROOT):
    """Rewrites notebooks, their pictures, README and CONTRIBUTING; returns the files
    that changed."""
    notebooks = {Path(path): requoted(read(path), Path(path).name, root)
                 for path in notebooks or paths(root)}
    # all are made before one is written
    new = {path: as_text(notebook) for path, notebook in notebooks.items()}
    new |= in_short.drawings(root) | requoted_pages(
        root, {path.name: notebook for path, notebook in notebooks.items()})
    return [path for path, text in new.items() if write_text(path, text)]


def strip(notebooks=None, root=ROOT):
    """Normalises the files; returns those that changed."""
    return [path for path in notebooks or paths(root)
            if write(path, normalise(read(path)))]


# Copies for students

QUIZ_FOLD = re.compile(r"<details>\s*<summary>Answer</summary>.*?</details>\n*",
                       re.DOTALL)


def without_outputs(notebook):
    notebook = normalise(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def published(notebooks=None, root=ROOT):
    """Writes what Colab opens: executed chapters and student copies, with pictures by
    address and an install line that names this commit and its tag.

    raises ValueError as long as the book has no owner: nobody could install it
    """
    if not has_owner(root):
        raise ValueError("nothing can be published before the book has an address: "
                         "make address OWNER/NAME writes it; then commit, and tag anew")
    made = root / "_build"
    found = sorted([*(made / "executed").glob("*.ipynb"),
                    *(made / "student").glob("*.ipynb")])
    commit, *tags = git(root, "rev-parse", "HEAD") + git(
        root, "tag", "--points-at", "HEAD", "--sort=-version:refname")
    install = FROM_COMMIT.format(url=repository(root)[0], commit=commit,
                                 tag=tags[0] if tags else f"v{version(root)}")
    copies = {}
    for path in map(Path, notebooks or found):
        folder = "published/student" if path.parent.name == "student" else "published"
        copies[made / folder / path.name] = copy = with_addresses(read(path), root)
        for cell in copy.cells:
            if cell.get("id") == "setup":
                cell.source = setup(install)
    return [path for path, notebook in copies.items() if write(path, notebook)]


def git(root, *words):
    """The lines that git says in the repository."""
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True,
                          encoding="utf-8").stdout.split()


def for_drive(notebooks=None, root=ROOT):
    """Writes copies for a folder of a Drive, `_build/colab/softdict`.

    their pictures stand inside, as Colab shows them: there is no folder beside a
    notebook, and no site yet
    """
    pictures = {file.name: svg for file, svg in in_short.drawings(root).items()}
    copies = {}
    for path in map(Path, notebooks or paths(root)):
        copy = lab_copy(read(path))
        for cell in copy.cells:
            if cell.cell_type == "markdown":
                cell.source = PICTURE.sub(lambda found: inside(pictures[found[1]]),
                                          cell.source)
        copies[root / "_build/colab/softdict" / path.name] = copy
    return [path for path, notebook in copies.items() if write(path, notebook)]


def inside(svg):
    """A picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def with_addresses(notebook, root=ROOT):
    """The notebook with its pictures by their address on the site."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = PICTURE.sub(rf"{site(root)}_images/\1", cell.source)
    return notebook


def lab_copy(notebook):
    """A copy for JupyterLab: no outputs; captions stand below their figures; a cell
    that only checks is folded, and says so in its first line, which stays in sight."""
    notebook, cells = without_outputs(notebook), []
    for cell in notebook.cells:
        cells.append(cell)
        if "hide-input" in tags(cell):
            cell.metadata["jupyter"] = {"source_hidden": True}
            cell.source = f"# This cell checks what the text says.\n{cell.source}"
        if figure := cell.metadata.get("mystnb", {}).get("figure"):
            cells.append(nbformat.v4.new_markdown_cell(
                f"*{figure['caption']}*", id=f"{cell.id}-caption"))
    notebook.cells = cells
    return notebook


SIGN = """\
# Who hands this in? Your teacher's list has your id.
name = ""
student_id = ""
"""


def student_copy(notebook, name="", root=ROOT):
    """A copy without hints, answers, stored outputs, the code of *In short*, and links
    to the whole chapter.

    It has a cell for name and id, the version of the course, and, for the file of this
    name, a link that opens the student copy in Colab.
    """
    notebook = with_addresses(lab_copy(notebook), root)
    notebook.cells = [cell for cell in notebook.cells
                      if not {"hint", "answer", shuffled.TAG} & set(tags(cell))]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = LINKS.sub("", cell.source).rstrip()
        if cell.id == "in-short-fold":
            cell.source = SHORT_CODE.sub("", cell.source)
        if {"quiz", "recall"} & set(tags(cell)):
            cell.source = QUIZ_FOLD.sub("", cell.source).rstrip()
    link = (f" [Open it in Colab]({colab(name, root, 'student')})."
            if name and has_owner(root) else "")
    notebook.cells[1:1] = [
        nbformat.v4.new_markdown_cell(
            f"*A student's copy, of version {version(root)} of the course.*{link}",
            id="student-copy"),
        nbformat.v4.new_code_cell(SIGN.rstrip(), id="student-name")]
    return notebook


def version(root=ROOT):
    """The version of the package."""
    text = (root / "src/softdict/__init__.py").read_text("utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    return found[1] if found else "?"


# what leads to an answer: a fold of one, or the chapter as it was executed
LEADS = re.compile(r"<summary>(?:Answer|Hint)\b|/blob/\w+/notebooks/")
# what any stub of a class or a nested function holds too
SCAFFOLD = ("#", "def ", "class ", "super().__init__()")


@functools.cache
def answer_lines(text):
    """For each function, the lines of its body that would give something away.

    these are not: docstrings, comments, blank lines, names of functions and classes
    """
    bodies = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            rows = text.splitlines()[body[0].lineno - 1:node.end_lineno] if body else []
            bodies.append([row.strip() for row in rows
                           if row.strip() and not row.strip().startswith(SCAFFOLD)])
    return bodies


def leaks(notebook, root=ROOT):
    """Lines of answers that a student copy still shows.

    Prose and exercises may hold no line of an answer. Other code may share a line with
    one, but not a whole body. Quotes of the package may: they show what the exercise
    before them asked for.
    """
    found = [f"cell {cell.id} leads to an answer: {words}" for cell in notebook.cells
             for words in LEADS.findall(cell.source) if cell.cell_type == "markdown"]
    found += [f"cell {cell.id} shows the code of In short" for cell in notebook.cells
              if cell.id.startswith("in-short") and "```" in cell.source]
    parts = [(cell.id, cell.cell_type == "markdown" or exercise(cell),
              {line.strip() for line in FENCE.sub("", cell.source).splitlines()})
             for cell in notebook.cells if exercise(cell) or not quoted_file(cell)]
    for file in sorted((root / "tests/answers").glob("*/*.py")):
        for body in answer_lines(file.read_text(encoding="utf-8")):
            for name, by_line, shown in parts:
                if by_line:
                    found += [f"cell {name} shows a line of {file.name}: {line}"
                              for line in body if line in shown]
                elif body and shown.issuperset(body):
                    found.append(f"cell {name} shows the whole of {file.name}")
    return found


def student(notebooks=None, root=ROOT):
    """Writes the students' copies; refuses to write any if one shows an answer."""
    copies = {Path(path).name: student_copy(read(path), Path(path).name, root)
              for path in notebooks or paths(root)}
    for name, notebook in copies.items():
        if found := leaks(notebook, root):
            raise ValueError(f"{name}: {'; '.join(found)}")
    return lay(root / "_build/student", copies)


def work(notebooks=None, root=ROOT):
    """Writes the copies to work in, without outputs: no Predict is answered yet; beside
    them the pictures."""
    for file, svg in in_short.drawings(root).items():
        write_text(root / "work/images" / file.name, svg)
    return lay(root / "work", {Path(path).name: lab_copy(read(path))
                               for path in notebooks or paths(root)})


def lay(folder, copies):
    """Writes notebooks into a folder without losing what was changed there.

    A copy that somebody edited stays; where the book has a newer one, that is written
    beside it, as NAME.newer.ipynb. Returns the written files.
    """
    record, written = folder / ".laid.json", []
    laid = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for name, notebook in copies.items():
        path, text = folder / name, as_text(notebook)
        mark = hashlib.sha256(text.encode()).hexdigest()
        found = path.read_bytes() if path.exists() else b""
        edited = found and hashlib.sha256(found).hexdigest() != laid.get(name)
        if edited and laid.get(name) not in (None, mark):
            beside = path.with_suffix(".newer.ipynb")
            print(f"{name} was changed by you and has a newer version: {beside.name}")
            path = beside
        elif edited:
            continue
        if write_text(path, text):
            written.append(path)
        laid[name] = mark
    write_text(record, json.dumps(laid, indent=1) + "\n")
    return written


# Stored outputs

def store_outputs(notebooks=None, root=ROOT):
    """Runs the notebooks, stores the text they print; returns the changed files."""
    from execute import execute

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    changed = []
    for path in notebooks or paths(root):
        try:
            changed += [path] * write(path, normalise(execute(read(path))))
        except ValueError as error:
            raise ValueError(f"{Path(path).name}, {error}") from error
    return changed


# What a notebook depends on

def imports(tree, package=""):
    """Dotted names that the tree imports; `from a import b` counts as a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            parents = parents[:len(parents) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def module_file(name, root=ROOT):
    """The file of a module of softdict, or None."""
    path = root / "src" / name.replace(".", "/")
    files = [path / "__init__.py", path.with_name(path.name + ".py")]
    return next((file for file in files
                 if name.split(".")[0] == "softdict" and file.is_file()), None)


@functools.cache
def told(source, package=""):
    """Of a source: the dotted names that it imports, and the strings in it."""
    tree = ast.parse(source)
    strings = {node.value for node in ast.walk(tree)
               if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return list(imports(tree, package)), strings


def reached(names, root=ROOT):
    """Files of all softdict modules that the names lead to, with the strings in each.
    """
    files, met, waiting = {}, set(), list(names)
    while waiting:
        name = waiting.pop()
        if name in met:
            continue
        met.add(name)
        file = module_file(name, root)
        if "." in name:
            waiting.append(name.rpartition(".")[0])    # importing a.b runs a first
        if file and file not in files:
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            more, files[file] = told(file.read_text(encoding="utf-8"), package)
            waiting += more
    return files


def fingerprint(path, root=ROOT):
    """Hash of all that a run of the notebook depends on.

    That is the notebook, the softdict modules it reaches, requirements.txt, and each
    asset that a string there names, by its file or by its folder: runtime.results names
    the folder "results", so who reaches runtime depends on all results. A check says of
    a stub what the file of all checks' sentences has for it.
    """
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    sources = [told(python(cell.source)) for cell in cells]
    modules = reached([name for names, _ in sources for name in names], root)
    words = set().union(*(strings for _, strings in sources), *modules.values())
    folder = root / "src/softdict/assets"
    names = {file: file.relative_to(folder)
             for file in sorted(folder.rglob("*")) if file.is_file()}
    assets = [file for file, name in names.items()
              if words & {name.as_posix(), *name.parts}]
    says = [file.with_name("says") / "shared.toml" for file in modules
            if file.name == "sentences.py"]
    digest = hashlib.sha256()
    for file in [Path(path), *sorted(modules), *assets, *says,
                 root / "requirements.txt"]:
        content = file.read_bytes() if file.exists() else b""
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def chosen(names, root=ROOT):
    """The notebooks of these names: files, or numbers of chapters, as in 02,07.

    raises ValueError for a number that no chapter has
    """
    found = []
    for name in names:
        if name.endswith(".ipynb"):
            found.append(Path(name))
            continue
        for number in name.split(","):
            fitting = [path for path in paths(root)
                       if path.name.startswith(f"{number}_")]
            if not fitting:
                raise ValueError(f"there is no chapter {number!r}; chapters are named "
                                 "as in 02,07,C1")
            found += fitting
    return found


# What readers' answers hang on

def ids(notebooks=None, root=ROOT):
    """Adds to the list of ids that stay; returns the file if it changed."""
    file = root / "tests/cell_ids.txt"
    lines = file.read_text("utf-8").splitlines()
    new = set(hung_on(notebooks, root)) - set(listed(root))
    head = [line for line in lines if line.startswith("#")]
    rest = sorted({*lines, *new} - {*head})
    return [file] if write_text(file, "\n".join([*head, *rest]) + "\n") else []


def hung_on(notebooks=None, root=ROOT):
    """Chapter and id, as "01 sums", of all by which an answer is remembered.

    by web/memory.js in a browser, and by softdict.progress() in a folder
    """
    for path in map(Path, notebooks or paths(root)):
        for cell in read(path).cells:
            if "predict" in cell.metadata or shuffled.TAG in tags(cell):
                yield f"{path.name[:2]} {cell.id}"
            elif "exercise" in tags(cell):
                yield f"{path.name[:2]} {exercise(cell)}"
    yield from (f"{name[:2]} {name}" for name in practice.items(root))


def listed(root=ROOT):
    """The listed ids, each with what its line says more: why it is gone."""
    lines = (root / "tests/cell_ids.txt").read_text("utf-8").splitlines()
    rows = [line.split(maxsplit=2) for line in lines
            if line.strip() and not line.startswith("#")]
    return {f"{chapter} {name}": " ".join(why) for chapter, name, *why in rows}


def lost(root=ROOT):
    """What is wrong with the list, a sentence each."""
    there = set(hung_on(root=root))
    for one, why in listed(root).items():
        if one not in there and not why.startswith("gone: "):
            yield (f"{one} was published and is gone, and readers' answers hang on it: "
                   "name it so again, or say behind it in tests/cell_ids.txt why, as "
                   '"gone: ..."')
        elif one in there and why:
            yield f"{one} is there, and tests/cell_ids.txt says that it is gone"


def print_lengths(chosen_paths):
    """Prints a row a chapter: what is read on its main road, and in which time."""
    print("chapter                words  lines  figures  predictions  recalls  minutes")
    for path in chosen_paths or paths():
        notebook = read(path)
        row = [*length(notebook), minutes(notebook)]
        print("{:20} {:7d} {:6d} {:8d} {:12d} {:8d} {:8d}".format(path.stem, *row))


def main(arguments):
    if arguments[:1] == ["lengths"]:
        print_lengths(chosen(arguments[1:]))
        return
    commands = {"quotes": rewrite_quotes, "strip": strip, "outputs": store_outputs,
                "published": published, "student": student, "work": work,
                "drive": for_drive, "ids": ids}
    if not arguments or arguments[0] not in commands:
        sys.exit("usage: python tools/notebooks.py "
                 f"{'|'.join([*commands, 'lengths'])} [NOTEBOOK...]")
    try:
        written = commands[arguments[0]](chosen(arguments[1:]))
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    for path in written:
        print("wrote", path)
    if not written:
        print("nothing to change")


if __name__ == "__main__":
    with script():
        main(sys.argv[1:])
