"""The capstones with some parts solved and others open: no cell stops, and each says
whose part it runs."""

import contextlib
import io

import notebooks as files
import pytest
import torch
from books import ROOT
from softdict import runtime, training

NAMES = {"C1": "C1_attention", "C2": "C2_transformer"}
PARTS = {"C1": 4, "C2": 5}


def cells(number):
    return [cell for cell in files.read(
        ROOT / f"notebooks/{NAMES[number]}.ipynb").cells if cell.cell_type == "code"]


def answer(name):
    return (ROOT / f"tests/answers/{name[:2]}/{name}.py").read_text("utf-8")


@pytest.fixture(scope="module")
def short():
    """Two updates of training, on a CPU, and three sentences to translate."""
    with pytest.MonkeyPatch.context() as patch:
        whole = training.fit
        patch.setattr(training, "fit", lambda model, ids, updates, *given, **more:
                      whole(model, ids[:100], 2, *given, **more))
        patch.setattr(runtime, "device", lambda *given, **more: torch.device("cpu"))
        yield


@pytest.fixture(scope="module")
def start(short):
    """For each capstone the names before its first exercise, and its data."""
    names = {}
    for number in NAMES:
        names[number] = {"__name__": "__main__"}
        for cell in cells(number):
            if cell.id in ("imports", "train-data"):
                exec(files.python(cell.source), names[number])
    return names


def run(number, start, solved):
    """What the cells print if some parts are solved; of answers only what is asked."""
    names, said = dict(start[number]), io.StringIO()
    with contextlib.redirect_stdout(said), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for cell in cells(number):
            tags, name = files.tags(cell), files.exercise(cell)
            if "exercise" in tags and name in solved:
                own = dict(names)
                exec(answer(name), own)
                [wanted] = [files.defined_name(node) for node in
                            files.parse(cell.source).body]
                names[wanted] = own[wanted]
            elif cell.id not in ("setup", "imports", "train-data") and not (
                    cell.id.endswith("-assert")):
                exec(files.python(cell.source.replace("[:100]", "[:3]")), names)
    return said.getvalue(), names


def choices(number):
    """Nothing, each part alone, all but one, and last everything."""
    names = [f"{number}-{part + 1}" for part in range(PARTS[number])]
    return [[], *([name] for name in names), *(
        [other for other in names if other != name] for name in names), names]


@pytest.mark.parametrize("number", NAMES)
def test_whatever_is_solved_no_cell_stops_and_each_says_whose_it_is(number, start):
    whole, writes = {"C1": ("C1-3", "C1-4"), "C2": ("C2-4", "C2-5")}[number]
    for solved in choices(number):
        said, names = run(number, start, solved)
        listed = [name for name in solved if name != "C2-5"]
        assert f"solved: {' '.join(listed)}".rstrip() in said.splitlines()[0], solved
        own = type(names["mine"]).__module__ == "__main__"
        assert own == (whole in solved)
        assert (f"{whole} is not solved" in said) != own
        assert (f"written by you ({writes})" in said) == (writes in solved)
        assert (f"written by the book: {writes} is not solved" in said) == (
            writes not in solved)
        assert said.rstrip().count("\n") > 5    # it wrote


def test_the_book_writes_with_the_reader_s_machine_what_the_reader_would(start):
    """C1-3 solved and C1-4 open ended in an AttributeError."""
    for number, last in (("C1", "C1-4"), ("C2", "C2-5")):
        everything = choices(number)[-1]
        one, other = (run(number, start, solved)[0].partition("written by")[2]
                      for solved in (everything,
                                     [name for name in everything if name != last]))
        assert one.splitlines()[1:] == other.splitlines()[1:] != []


def test_one_answer_is_the_whole_machine_of_c2():
    """It borrows the codes of positions alone."""
    text, notebook = answer("C2-4"), files.read(ROOT / f"notebooks/{NAMES['C2']}.ipynb")
    assert [line for line in text.splitlines() if "softdict" in line] == [
        "from softdict.layers import sinusoids"]
    assert any(text in cell.source for cell in notebook.cells)    # in its fold
