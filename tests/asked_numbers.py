"""What the numbers on the pages *Asked by learners* are computed from again: code, the
outputs of cells that nbval compares, and stored results."""

import json
import statistics

from books import ROOT
from softdict import runtime


def output(chapter, cell):
    """The stored output of a cell that every run compares, as text."""
    [path] = (ROOT / "notebooks").glob(f"{chapter}_*.ipynb")
    [found] = [part for part in json.loads(path.read_text("utf-8"))["cells"]
               if part["id"] == cell]
    assert "nbval-check-output" in found["metadata"]["tags"], (chapter, cell)
    return "".join("".join(part.get("text", part.get("data", {}).get("text/plain", "")))
                   for part in found["outputs"])


def row(chapter, cell, begin):
    """The words behind the beginning of one line of such an output."""
    [found] = [line for line in output(chapter, cell).splitlines()
               if line.strip().startswith(begin)]
    return found.strip().removeprefix(begin).split()


def text(chapter):
    """The Markdown of a chapter."""
    [path] = (ROOT / "notebooks").glob(f"{chapter}_*.ipynb")
    return "\n".join("".join(part["source"])
                     for part in json.loads(path.read_text("utf-8"))["cells"]
                     if part["cell_type"] == "markdown")


def results(name):
    """The stored results of an experiment, one for each seed."""
    return [record["result"] for record in runtime.results(name)]


def kept_checkpoints(name):
    """BLEU on the test of the checkpoints that three seeds keep, by what chose them."""
    found = {"loss": [], "bleu": [], "last": []}
    for result in results(name):
        valid, test = result["valid"], result["iid"]["bleu"]
        found["loss"].append(test[min(range(len(test)), key=valid["loss"].__getitem__)])
        found["bleu"].append(test[max(range(len(test)), key=valid["bleu"].__getitem__)])
        found["last"].append(test[-1])
    return {chosen: statistics.mean(scores) for chosen, scores in found.items()}
