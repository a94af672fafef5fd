"""The code of each *In short* runs in an empty notebook, and computes what the package
computes: tests/folds/NN.py says how its chapter's is compared."""

import ast
import runpy

import notebooks as files
import pytest
import torch
from books import ROOT

FOLDS = {path.name[:2]: found[0].source for path in files.paths()
         if (found := [cell for cell in files.read(path).cells
                       if cell.id == "in-short-fold"])}


def ran(fold):
    """The names that the code of a fold leaves, and its last value under "value"."""
    [code] = files.SHORT_CODE.findall(fold)
    tree, names = ast.parse(code), {"__name__": "__main__"}
    last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, "In short", "exec"), names)
    return {**names, "value": eval(compile(last, "In short", "eval"), names)}


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("number", FOLDS)
def test_the_code_computes_what_the_package_computes(number, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        names = ran(FOLDS[number])
        runpy.run_path(str(ROOT / f"tests/folds/{number}.py"))["compare"](names)


def test_every_chapter_has_one_and_no_capstone():
    """A capstone starts from a blank file."""
    assert sorted(FOLDS) == [path.name[:2] for path in files.paths()
                             if path.name[0].isdigit()]


def test_every_fold_is_compared_and_nothing_else():
    assert sorted(FOLDS) == sorted(path.stem for path in (ROOT / "tests/folds").glob(
        "*.py"))
