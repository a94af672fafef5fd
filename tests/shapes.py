"""Shape notes that are checked: `scores = query @ key.mT    # [..., T, S]` fails when
the value has another shape.

A note stands where the statement ends that makes the value: an assignment, a `return`
or an expression. Words may stand before or after it. A tuple has one list for each
part: `# [T, D], [T, S]`. In a docstring, `query [..., T, K]` binds an argument, and
`returns context [..., T, D]` a result.

- A letter is one size within one call of a function, or one notebook cell. `H*K` and
  `S+1` are worked out from letters.
- `...` in front is any number of axes; within one call all of them must broadcast
  together.
- A list of numbers alone, `# [3, 4]`, counts where the value has a shape: elsewhere it
  is a plain comment.
- A wrong argument is reported late, at the first note or the return: so that a function
  can refuse it in its own words.
"""

import ast
import copy
import functools
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import sys
import tokenize
from contextlib import contextmanager

import numpy

ITEM = r"(?:[A-Z]|\d+)(?: ?[*+-] ?(?:[A-Z]|\d+))*"
LIST = rf"\[(?:(?:\.\.\.|{ITEM})(?:, ?{ITEM})*)?\]"
LISTS = rf"({LIST}(?:(?:,| and) ?{LIST})*)"
FIRST, LAST = (re.compile(rf"#\s*{LISTS}(?![^\s,;:.])"),
               re.compile(rf"(?:\s|, ?){LISTS}\.?$"))
MAKERS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


class ShapeError(AssertionError):
    """A value has another shape than its note says."""


def notes(source):
    """Line number and lists of each shape note; `# [0.1, 0.9]` is none."""
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        match = (token.type == tokenize.COMMENT
                 and (FIRST.match(token.string) or LAST.search(token.string)))
        if match:
            lists = tuple(re.findall(LIST, match[1]))
            if FIRST.match(token.string) or not only_numbers(lists):
                found[token.start[0]] = lists
    return found


@functools.cache
def only_numbers(lists):
    return not re.search(r"[A-Z]|\.\.\.", " ".join(lists))


class Item:
    """One axis of a list: a letter, or what is worked out from those that it needs."""

    def __init__(self, text):
        self.letter = text if text.isalpha() else ""
        self.needs = frozenset(re.findall("[A-Z]", text))
        self.code = compile(text, "a shape note", "eval")

    def size(self, letters):
        return eval(self.code, {"__builtins__": {}}, letters)    # H*K, S+1


@functools.cache
def axes(note):
    """Whether `...` leads a list, and its items behind that."""
    items = note[1:-1].replace(" ", "").split(",") if note != "[]" else []
    leads = items[:1] == ["..."]
    return leads, tuple(map(Item, items[leads:]))


def wrong(note, shape):
    return f"the note says {note}, the value is {list(shape)}"


class Sizes:
    """What the letters stand for during one call."""

    def __init__(self):
        self.letters, self.leading, self.fault = {}, (), None
        # a note is settled when none of its letters is still unknown
        self.pending, self.places = [], set()

    def fit(self, value, note, place):
        """Binds the letters of one list; returns a sentence if the value has another
        shape."""
        if not hasattr(value, "shape"):
            return f"the note says {note}, but a {type(value).__name__} has no shape"
        shape, (any_leading, items) = tuple(value.shape), axes(note)
        extra = len(shape) - len(items)
        if extra < 0 or extra > 0 and not any_leading:
            return wrong(note, shape)
        front = shape[:extra]
        if front and front != self.leading:
            try:
                self.leading = (numpy.broadcast_shapes(self.leading, front)
                                if self.leading else front)
            except ValueError:
                return (f"{wrong(note, shape)}; the leading axes were "
                        f"{list(self.leading)}")
        self.places.add(place)
        differs = False
        for item, size in zip(items, shape[extra:]):
            if not item.letter:
                self.pending.append((item, size, place))
            elif self.letters.setdefault(item.letter, size) != size:
                differs = True
        if self.pending:
            left = []
            for part in self.pending:
                item, size, _ = part
                if not item.needs <= self.letters.keys():
                    left.append(part)
                elif item.size(self.letters) != size:
                    differs = True
            self.pending = left
        if differs:
            return f"{wrong(note, shape)}; so far " + ", ".join(
                f"{letter}={size}" for letter, size in self.letters.items())
        return None

    def settled(self):
        if not self.pending:
            return self.places
        return self.places - {place for _, _, place in self.pending}


class Recorder:
    """Called by instrumented code; remembers which notes were reached."""

    def __init__(self):
        self.reached, self.paused = set(), False

    def enter(self, place, arguments):
        """Starts a call: arguments maps a name to its value and its list from the
        docstring."""
        sizes = Sizes()
        for name, (value, note) in arguments.items():
            # in a step the cache stands for the memory
            shaped = value is not None and type(value).__name__ != "DecoderCache"
            sentence = sizes.fit(value, note, place) if shaped else None
            if sentence and not sizes.fault:
                sizes.fault = f"{place}: {name}: {sentence}"
        return sizes

    def check(self, value, place, lists, sizes):
        """The value, if it fits its note."""
        if self.paused or only_numbers(lists) and not hasattr(value, "shape"):
            self.reached.add(place)
        else:
            self.blame(sizes.fault)
            parts = [value] if len(lists) == 1 else value
            if len(lists) > 1 and (not isinstance(value, (tuple, list))
                                   or len(value) != len(lists)):
                self.blame(f"{place}: the note lists {len(lists)} shapes, the value is "
                           f"a {type(value).__name__}")
            for part, note in zip(parts, lists):
                sentence = sizes.fit(part, note, place)
                self.blame(sentence and f"{place}: {sentence}")
            self.reached |= sizes.settled()
        return value

    def leave(self, value, place, lists, sizes):
        """The value that a function returns, if it fits the docstring."""
        if not self.paused:
            self.blame(sizes.fault)
            parts = value if isinstance(value, tuple) else (value,)
            for part, note in zip(parts, lists if len(parts) == len(lists) else ()):
                sentence = part is not None and sizes.fit(part, note, place)
                self.blame(sentence and f"{place}: returned: {sentence}")
            self.reached |= sizes.settled()
        return value

    def blame(self, sentence):
        if sentence:
            raise ShapeError(sentence)

    @contextmanager
    def pause(self):
        """For code that is wrong on purpose."""
        self.paused = True
        try:
            yield
        finally:
            self.paused = False


def documented(docstring, names):
    """Shapes of the named arguments, and of the results, that a docstring states."""
    before, after = [*re.split(r"\breturns ", docstring or "", maxsplit=1,
                               flags=re.IGNORECASE), ""][:2]
    arguments = {name: note for name, note in re.findall(rf"\b(\w+) ({LIST})", before)
                 if name in names}
    results = re.match(rf"(?:(?:,|,? and)? ?(?:the )?\w+ {LIST})*", after)
    return arguments, tuple(re.findall(LIST, results[0]))


def call(method, value, place, lists, at):
    """Syntax tree of `__shapes__.method(value, place, lists,
    __sizes__)`, standing where `at` stands."""
    tree = ast.parse(f"__shapes__.{method}(None, {place!r}, {lists!r}, __sizes__)",
                     mode="eval").body
    for node in ast.walk(tree):
        ast.copy_location(node, at)
    tree.args[0] = value
    return tree


class Instrument(ast.NodeTransformer):
    """Puts a check on every statement that carries a note, and on every function whose
    docstring states shapes."""

    def __init__(self, file, source, tree):
        self.file, self.todo, self.functions = file, notes(source), []
        ends = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt) and not hasattr(node, "body"):
                ends[node.end_lineno] = max(node, ends.get(node.end_lineno, node),
                                            key=lambda stmt: stmt.col_offset)
        self.carriers = {}
        for line, lists in self.todo.items():
            node = ends.get(line)
            if isinstance(node, MAKERS) and node.value is not None:
                self.carriers[node] = lists
            elif not only_numbers(lists):
                raise ShapeError(f"{file}:{line}: shape note on a line that makes "
                                 "nothing")

    def place(self, node):
        return f"{self.file}:{node.end_lineno}"

    def checked(self, node):
        """The statement with its value checked; of `x += y`, the new x."""
        lists = self.carriers.get(node)
        if lists is None:
            return node
        if not isinstance(node, ast.AugAssign):
            node.value = call("check", node.value, self.place(node), lists, node.value)
            return node
        target = copy.deepcopy(node.target)
        target.ctx = ast.Load()
        after = ast.Expr(call("check", target, self.place(node), lists, node))
        return [node, ast.copy_location(after, node)]

    visit_Assign = visit_AnnAssign = visit_AugAssign = visit_Expr = checked

    def visit_Return(self, node):
        node = self.checked(node)
        results = self.functions[-1]
        if results is not None:
            value = node.value or ast.Constant(None)
            node.value = call("leave", value, self.place(node), results, node)
        return node

    def visit_FunctionDef(self, node):
        names = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        arguments, results = documented(ast.get_docstring(node), names)
        self.functions.append(results if arguments or results else None)
        self.generic_visit(node)
        self.functions.pop()
        noted = any(isinstance(part, ast.Name) and part.id == "__sizes__"
                    for part in ast.walk(node))
        if noted or arguments or results:
            pairs = ", ".join(f"{name!r}: ({name}, {note!r})"
                              for name, note in arguments.items())
            where = f"{self.file}:{node.lineno}"
            first = (ast.parse(f"__sizes__ = __shapes__.enter({where!r}, {{{pairs}}})")
                     .body[0])
            ast.increment_lineno(first, node.lineno - 1)
            node.body.insert(ast.get_docstring(node) is not None, first)
            if arguments or results:
                end = node.body[-1]
                last = ast.Expr(call("leave", ast.Constant(None), where, (), end))
                node.body.append(ast.copy_location(last, end))
        return node

    visit_AsyncFunctionDef = visit_FunctionDef


def instrument(source, file):
    """Code object of the source with its notes checked; it needs the globals
    `__shapes__` and `__sizes__`."""
    tree = ast.parse(source)
    tree = Instrument(file, source, tree).visit(tree)
    return compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)


def run(source, namespace, file, recorder):
    """Executes the source, notes checked, in the namespace."""
    namespace.update(__shapes__=recorder, __sizes__=Sizes())
    exec(instrument(source, file), namespace)


def unchecked(source, file, recorder):
    """Places of the notes in a file that no run has reached."""
    return [f"{file}:{line}" for line in notes(source)
            if f"{file}:{line}" not in recorder.reached]


def unreached(package, recorder):
    """Places of the notes in all files of a package that no run has reached."""
    folder = pathlib.Path(importlib.util.find_spec(package).origin).parent
    return [place for file in sorted(folder.rglob("*.py"))
            for place in unchecked(file.read_text("utf-8"), str(file), recorder)]


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with its notes checked; byte code is never cached."""

    recorder = None

    def get_code(self, name):
        return instrument(self.get_source(name), self.get_filename(name))

    def exec_module(self, module):
        module.__shapes__, module.__sizes__ = self.recorder, Sizes()
        super().exec_module(module)


class Finder:
    """Finds the modules of one package and gives them the loader above."""

    def __init__(self, package, recorder):
        self.package, self.loader = package, type("PackageLoader", (Loader,),
                                                  {"recorder": recorder})

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] != self.package:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = self.loader(spec.loader.name, spec.loader.path)
        return spec


def install(package, recorder):
    """From now on the package's modules are imported with their notes checked."""
    if package in sys.modules:
        raise RuntimeError(f"{package} was imported before its shape notes could be "
                           "checked")
    sys.meta_path.insert(0, Finder(package, recorder))
