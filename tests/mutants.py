"""Stored right answers, each with one small mistake, on the checks of exercises.

`PYTHONPATH=tools python tests/mutants.py [NAME ...]`, such as 02 or 02-1, prints the
mistakes that a check accepts, and counts by chapter what became of all. The mistakes
are made by rules, one at a time, at every place in the code. What is accepted is equal
after all, or a hole in the check; a reader of the list has to decide which. A gradient
is cut at every place, too: that counts as accepted only where the check sent one
through it.
"""

import ast
import copy
import linecache
import signal
import sys
from collections import Counter

import test_checks as answers
from books import Book

SECONDS = 20    # an answer that takes longer counts as endless
OTHER = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
         ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Lt: ast.LtE,
         ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
         ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
         ast.BitOr: ast.BitAnd}
NAMES = {"argmax": "argmin", "max": "min", "sum": "mean", "mean": "sum",
         "softmax": "log_softmax", "tril": "triu", "triu": "tril", "cos": "sin",
         "sin": "cos", "ones": "zeros", "zeros": "ones", "tanh": "sigmoid",
         "sigmoid": "tanh", "unbind": "chunk", "reshape": "view", "view": "reshape",
         "log": "exp", "exp": "log"}
EVEN = "transpose", "swapaxes", "min", "max", "maximum", "isclose", "allclose"


def changed(node):
    """A pair (kind, other node) for each rule that applies to a node."""
    def twin(**parts):
        other = copy.copy(node)
        vars(other).update(parts)
        return other

    if isinstance(node, (ast.BinOp, ast.Call)):
        yield "gradient", ast.Call(ast.Name("cut", ast.Load()), [node], [])
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.MatMult):
            yield "operands", twin(left=node.right, right=node.left)
        if other := OTHER.get(type(node.op)):
            yield "sign", twin(op=other())
            yield "term", node.left
            yield "term", node.right
    elif isinstance(node, ast.Compare):
        if other := OTHER.get(type(node.ops[0])):
            yield "bound", twin(ops=[other(), *node.ops[1:]])
    elif isinstance(node, ast.BoolOp):
        yield "condition", twin(op=OTHER[type(node.op)]())
    elif isinstance(node, ast.UnaryOp):
        yield "sign", node.operand
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield "flag", twin(value=not node.value)
        elif isinstance(node.value, int):
            yield "number", twin(value=node.value + 1)
            yield "number", twin(value=node.value - 1)
        elif isinstance(node.value, float):
            yield "number", twin(value=node.value * 2)
    elif isinstance(node, ast.Call):
        yield from called(node, twin)
    elif isinstance(node, ast.Attribute):
        if node.attr in ("T", "mT"):
            yield "turned", node.value
        elif node.attr in NAMES:
            yield "function", twin(attr=NAMES[node.attr])
    elif isinstance(node, ast.Name) and node.id in NAMES:
        yield "function", twin(id=NAMES[node.id])
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield "condition", twin(test=ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Slice):
        if node.lower:
            yield "slice", twin(lower=None)
        if node.upper:
            yield "slice", twin(upper=None)


def called(node, twin):
    """The rules for a call: it is left out, or an argument is, or two are exchanged."""
    if isinstance(node.func, ast.Attribute):
        yield "call", node.func.value
    elif len(node.args) == 1:
        yield "call", node.args[0]
    for number in range(len(node.keywords)):
        yield "argument", twin(
            keywords=node.keywords[:number] + node.keywords[number + 1:])
    if len(node.args) > 1:
        yield "argument", twin(args=node.args[:-1])
        even = getattr(node.func, "attr", getattr(node.func, "id", "")) in EVEN
        for number in range(0 if not even else len(node.args), len(node.args) - 1):
            args = list(node.args)
            args[number:number + 2] = args[number + 1], args[number]
            yield "arguments", twin(args=args)


def mutants(source):
    """A triple (kind, line, other source) for each mistake in a source."""
    tree, seen = ast.parse(source), {ast.unparse(ast.parse(source))}
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            rows = value if isinstance(value, list) else [value]
            for place, node in enumerate(rows):
                if not isinstance(node, ast.AST) or name in ("annotation", "returns"):
                    continue
                others = list(changed(node))
                if isinstance(node, (ast.AugAssign, ast.Raise, ast.If)) or (
                        isinstance(node, ast.Expr)
                        and not isinstance(node.value, ast.Constant)):
                    others.append(("statement", ast.Pass()))
                for kind, other in others:
                    put(parent, name, place, other)
                    text = ast.unparse(ast.fix_missing_locations(tree))
                    put(parent, name, place, node)
                    if text not in seen:
                        seen.add(text)
                        yield kind, getattr(node, "lineno", 0), text


def put(parent, name, place, node):
    """Sets a field of a node, or a place in the list that stands there."""
    if isinstance(getattr(parent, name), list):
        getattr(parent, name)[place] = node
    else:
        setattr(parent, name, node)


def cut(found):
    """The same without a gradient; `cut.sent` tells whether a check has sent one."""
    if not getattr(found, "requires_grad", False):
        return found
    cut.sent = True
    return found.detach()


class Endless(BaseException):
    """An answer has not ended in time."""


def judged(book, exercise, source):
    """The code that a check gives to a source; "no_code" where it can't be defined."""
    def stop(*_):
        raise Endless

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    cut.sent = False
    name = f"mutant of {exercise}"
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    try:
        namespace = {**book.known(exercise), "cut": cut}
        exec(compile(source, name, "exec"), namespace)
        return answers.CHECKS[exercise](namespace[answers.CALLS[exercise].args[1].id])
    except Endless:
        return "endless"
    except Exception as error:
        return f"no_code {error!r}"
    finally:
        signal.alarm(0)


def accepted(kind, result):
    """Whether a mistake has passed; a cut that no gradient was sent through is none."""
    return getattr(result, "passed", False) and (kind != "gradient" or cut.sent)


def main(wanted):
    book, count = Book(), Counter()
    for path in answers.ANSWERS:
        exercise = answers.number(path)
        if wanted and not path.stem.startswith(tuple(wanted)):
            continue
        source = answers.read(path)
        lines = ast.unparse(ast.parse(source)).splitlines()
        for kind, _, text in mutants(source):
            result = judged(book, exercise, text)
            code = getattr(result, "code", result)
            if code == "passed" and not accepted(kind, result):
                code = "no_gradient"    # the check asks for none
            count[exercise[:2], {"passed": "accepted", "error": "error",
                                     "no_gradient": "no gradient"}.get(
                code.split()[0], "other" if isinstance(result, str) else "named")] += 1
            if code in ("passed", "endless"):
                new = [line.strip() for line in text.splitlines() if line not in lines]
                old = [line.strip() for line in lines if line not in text.splitlines()]
                print(f"{path.stem} {code} ({kind})\n  - {' / '.join(old)}\n"
                      f"  + {' / '.join(new)}", flush=True)
    print(sorted(count.items()))


if __name__ == "__main__":
    main(sys.argv[1:])
