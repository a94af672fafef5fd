"""The notebooks as files: rewrite their quotes, strip them, make student copies, store outputs, tell which are stale.

    python book/notebooks.py quotes     quotes, answer folds, links and setup cells, written from their one source
    python book/notebooks.py student    copies without hints, answers and stored outputs, below _build/student
    python book/notebooks.py outputs    run the notebooks and store the text outputs that the book claims
    python book/notebooks.py strip      what an editor left behind, removed

Each takes the paths of notebooks; without them it takes all. Needs nbformat, and nbclient to run cells.
"""

import ast
import copy
import hashlib
import json
import os
import re
import sys
from pathlib import Path

import nbformat
from nbformat.v4.rwbase import rejoin_lines

ROOT = Path(__file__).resolve().parent.parent
CLAIM = "nbval-check-output"    # the tag of cells whose text output is stored and compared
BADGES = re.compile(r"<!-- badges -->.*?<!-- /badges -->", re.DOTALL)
LINKS = re.compile(r"<!-- links -->.*?<!-- /links -->", re.DOTALL)
FOLD = re.compile(r"^```python\n# (?P<file>tests/answers/[\w-]+\.py)\n.*?^```$", re.DOTALL | re.MULTILINE)
SETUP = """\
# On Colab this installs the book's package; at home it is already there.
import importlib.util
if importlib.util.find_spec("softdict") is None:
    %pip install -q git+{url}"""


# Reading and writing

def paths(root=ROOT):
    """The chapters in order."""
    return sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def read(path):
    """The notebook as it stands in the file; nothing is repaired."""
    return rejoin_lines(nbformat.from_dict(json.loads(Path(path).read_text(encoding="utf-8"))))


def as_text(notebook):
    """The file of a notebook: sorted JSON, a newline at its end."""
    return nbformat.v4.writes(notebook).rstrip("\n") + "\n"


def write(path, notebook):
    """Writes the file; returns whether it changed."""
    path, content = Path(path), as_text(notebook).encode()
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
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
    return next((tag for tag in tags(cell) if re.fullmatch(r"\d\d-\d+", tag)), None)


def quoted_file(cell):
    """The file that the cell quotes, such as "src/softdict/lookup.py", or None."""
    first = cell.source.partition("\n")[0].rstrip()
    match = re.fullmatch(r"# (src/softdict/[\w/]+\.py)", first)
    return match[1] if match and cell.cell_type == "code" else None


def normalise(notebook):
    """A copy without run counts, editors' metadata, and outputs that no tag asks for."""
    notebook = copy.deepcopy(notebook)
    notebook.metadata = nbformat.from_dict({
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"}})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        kept = {key: cell.metadata[key] for key in ("mystnb", "tags") if key in cell.metadata}
        cell.metadata = nbformat.from_dict(kept)
        cell.source = cell.source.rstrip()
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [text_output(output) for output in cell.outputs if CLAIM in tags(cell) and has_text(output)]
    return notebook


def has_text(output):
    return output.output_type == "stream" or output.output_type == "execute_result" and "text/plain" in output.data


def text_output(output):
    """The output with its text alone: no picture, no HTML, no run count."""
    if output.output_type == "stream":
        return nbformat.v4.new_output("stream", name=output.name, text=output.text)
    return nbformat.v4.new_output("execute_result", data={"text/plain": output.data["text/plain"]})


# Quotes

def is_definition(node):
    """A def, a class, or the assignment of a constant."""
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or defined_name(node) is not None


def defined_name(node):
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id
    return getattr(node, "name", None)


def definitions(source):
    """Name, first line and last line (from 0, last excluded) of each definition, decorators included."""
    for node in ast.parse(source).body:
        if is_definition(node):
            decorators = getattr(node, "decorator_list", [])
            yield defined_name(node), min(part.lineno for part in [node, *decorators]) - 1, node.end_lineno


def requote(source, file, root=ROOT):
    """The quote with each definition as it stands in the file, in the order of the quote."""
    if not (root / file).is_file():
        raise ValueError(f"there is no file {file} to quote")
    text = (root / file).read_text(encoding="utf-8")
    original, lines = text.splitlines(), source.splitlines()
    places = {name: (start, end) for name, start, end in definitions(text)}
    for name, start, end in reversed(list(definitions(source))):
        if name not in places:
            raise ValueError(f"{file} defines no {name}")
        lines[start:end] = original[slice(*places[name])]
    return "\n".join(lines)


def repository(root=ROOT):
    """The book's address and branch, from the one place where they stand."""
    text = (root / "_config.yml").read_text(encoding="utf-8")
    entry = re.search(r"^\s*repository:(.*?)(?=^\S|\Z)", text, re.DOTALL | re.MULTILINE)
    url = entry and re.search(r"\burl\s*:\s*[\"']?([^\s,}\"']+)", entry[1])
    if not url:
        raise ValueError("_config.yml needs the book's address: repository: {url: https://..., branch: main}")
    branch = re.search(r"\bbranch\s*:\s*[\"']?([^\s,}\"']+)", entry[1])
    return url[1], branch[1] if branch else "main"


def colab(name, root=ROOT):
    """The address that opens an executed chapter in Colab."""
    url = repository(root)[0].replace("https://github.com/", "https://colab.research.google.com/github/")
    return f"{url}/blob/executed/notebooks/{name}"


def links(name, root=ROOT):
    """The line under a chapter's title: where to run it, and its source."""
    url, branch = repository(root)
    return (f"<!-- links -->\n[Open in Colab]({colab(name, root)}) · "
            f"[Source on GitHub]({url}/blob/{branch}/notebooks/{name})\n<!-- /links -->")


def badges(root=ROOT):
    """README's table of chapters, a badge for each."""
    rows = ["<!-- badges -->", "| Chapter | Run it now |", "|---|---|"]
    for path in paths(root):
        title = read(path).cells[0].source.partition("\n")[0].removeprefix("# ").replace(" · ", " ")
        badge = f"[![Open chapter {path.name[:2]} in Colab](book/images/colab.svg)]({colab(path.name, root)})"
        rows.append(f"| {title} | {badge} |")
    return "\n".join([*rows, "<!-- /badges -->"])


def with_badges(readme, root=ROOT):
    """The text of README with its table of chapters written afresh."""
    if not BADGES.search(readme):
        raise ValueError("README.md: the lines <!-- badges --> and <!-- /badges --> are missing")
    return BADGES.sub(lambda match: badges(root), readme)


def answer_fold(file, root=ROOT):
    if not (root / file).is_file():
        raise ValueError(f"there is no answer {file} to quote")
    return f"```python\n# {file}\n{(root / file).read_text(encoding='utf-8').strip()}\n```"


def requoted(notebook, name, root=ROOT):
    """A copy, normalised, in which all that has its source elsewhere is written from that source."""
    notebook = normalise(notebook)
    for cell in notebook.cells:
        try:
            if file := quoted_file(cell):
                cell.source = requote(cell.source, file, root)
            elif cell.cell_type == "markdown":
                cell.source = FOLD.sub(lambda match: answer_fold(match["file"], root), cell.source)
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{name}, cell {cell.get('id')}: {error}") from error
        if cell.get("id") == "title":
            if not LINKS.search(cell.source):
                raise ValueError(f"{name}, cell title: the lines <!-- links --> and <!-- /links --> are missing")
            cell.source = LINKS.sub(lambda match: links(name, root), cell.source)
        if cell.get("id") == "setup":
            cell.source = SETUP.format(url=repository(root)[0])
    return notebook


def rewrite_quotes(notebooks=None, root=ROOT):
    """Rewrites the notebooks, and README's badges; returns the files that changed."""
    notebooks = notebooks or paths(root)
    new = {path: requoted(read(path), Path(path).name, root) for path in notebooks}    # all or none
    changed = [path for path in notebooks if write(path, new[path])]
    readme = root / "README.md"
    old = readme.read_text(encoding="utf-8")
    if (text := with_badges(old, root)) != old:
        readme.write_text(text, encoding="utf-8", newline="\n")
        changed.append(readme)
    return changed


def strip(notebooks=None, root=ROOT):
    """Normalises the files; returns those that changed."""
    return [path for path in notebooks or paths(root) if write(path, normalise(read(path)))]


# Copies for students

def student_copy(notebook):
    """A copy without hints, answers and stored outputs."""
    notebook = normalise(notebook)
    notebook.cells = [cell for cell in notebook.cells if not {"hint", "answer"} & set(tags(cell))]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    return notebook


def answer_lines(text):
    """For each function of an answer file, the lines of its body: no docstring, comments or blank lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            rows = text.splitlines()[body[0].lineno - 1:node.end_lineno] if body else []
            yield [row.strip() for row in rows if row.strip() and not row.strip().startswith("#")]


def leaks(notebook, root=ROOT):
    """Lines of answers that a student copy still shows.

    Prose and exercises may hold no line of an answer. Other code may share a line with one: not a whole body,
    unless it is a quote of the package, which shows what the exercise before it asked for.
    """
    found = []
    for file in sorted((root / "tests/answers").glob("*.py")):
        for body in answer_lines(file.read_text(encoding="utf-8")):
            for cell in notebook.cells:
                shown = {line.strip() for line in cell.source.splitlines()}
                if cell.cell_type == "markdown" or exercise(cell):
                    found += [f"cell {cell.id} shows a line of {file.name}: {line}" for line in body if line in shown]
                elif body and not quoted_file(cell) and shown.issuperset(body):
                    found.append(f"cell {cell.id} shows the whole of {file.name}")
    return found


def student(out=None, notebooks=None, root=ROOT):
    """Writes the students' copies; refuses to write any if one shows an answer."""
    out = Path(out or root / "_build/student")
    copies = {Path(path).name: student_copy(read(path)) for path in notebooks or paths(root)}
    for name, notebook in copies.items():
        if found := leaks(notebook, root):
            raise ValueError(f"{name}: {'; '.join(found)}")
    for name, notebook in copies.items():
        write(out / name, notebook)
    return [out / name for name in copies]


# Stored outputs

def store_outputs(notebooks=None, root=ROOT):
    """Runs the notebooks in an empty folder and stores what the claims print; returns the files that changed."""
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
    """Dotted names that the tree imports, anywhere in it; `from a import b` counts as a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def module_file(name, root=ROOT):
    """The file of a module of softdict, or None."""
    path = root / "src" / name.replace(".", "/")
    files = [path / "__init__.py", path.with_name(path.name + ".py")]
    return next((file for file in files if name.split(".")[0] == "softdict" and file.is_file()), None)


def reached(trees, root=ROOT):
    """Files of all softdict modules that the trees import, directly or through others, with their syntax trees."""
    files, waiting = {}, [name for tree in trees for name in imports(tree)]
    while waiting:
        name = waiting.pop()
        file = module_file(name, root)
        if "." in name:
            waiting.append(name.rpartition(".")[0])    # importing a.b runs a first
        if file and file not in files:
            files[file] = ast.parse(file.read_text(encoding="utf-8"))
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            waiting += imports(files[file], package)
    return files


def fingerprint(path, root=ROOT):
    """Hash of all that a run of the notebook depends on.

    That is the notebook, the softdict modules it reaches, requirements.txt, and the assets named in a string there.
    """
    trees = [parse(cell.source) for cell in read(path).cells if cell.cell_type == "code"]
    modules = reached(trees, root)
    words = {node.value for tree in [*trees, *modules.values()] for node in ast.walk(tree)
             if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    folder = root / "src/softdict/assets"
    assets = [file for file in folder.rglob("*")
              if file.is_file() and words & {file.name, file.relative_to(folder).as_posix()}]
    files = [Path(path), *sorted(modules), *sorted(assets), root / "requirements.txt"]
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.exists() else b""
        digest.update(f"{file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def main(arguments):
    commands = {"quotes": rewrite_quotes, "strip": strip, "outputs": store_outputs,
                "student": lambda notebooks: student(notebooks=notebooks)}
    if not arguments or arguments[0] not in commands:
        sys.exit("usage: python book/notebooks.py quotes|student|outputs|strip [NOTEBOOK...]")
    try:
        written = commands[arguments[0]]([Path(name) for name in arguments[1:]])
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    for path in written:
        print("wrote", path)
    if not written:
        print("nothing to change")


if __name__ == "__main__":
    main(sys.argv[1:])
