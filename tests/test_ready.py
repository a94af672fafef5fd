"""The page *Are you ready?*: its answers computed again, its table whole."""

import io
import math
import re
from contextlib import redirect_stdout

import pytest
import torch
from books import ROOT
from softdict.lookup import softmax

TEXT = (ROOT / "book/ready.md").read_text(encoding="utf-8")
ANSWERS = re.findall(r"<summary>Answer</summary>\n\n(.*?)\n\n</details>", TEXT)


def printed():
    told = io.StringIO()
    with redirect_stdout(told):
        exec(re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)[1], {})
    return told.getvalue().strip()


def product():
    row = torch.tensor([1, 2]) @ torch.tensor([[3, 0], [1, 4]])
    return f"({', '.join(map(str, row.tolist()))})"


def slope():
    x = torch.tensor(1.0, requires_grad=True)
    ((x - 3) ** 2).backward()
    return f"which is {x.grad:.0f} there".replace("-", "−")


def looked_up():
    weights = softmax(torch.tensor([0, math.log(3)]))
    assert weights.tolist() == pytest.approx([1 / 4, 3 / 4])
    return f"= {weights @ torch.tensor([8.0, 4.0]):.0f}."


@pytest.mark.parametrize("question, wanted", [
    (1, lambda: f"{printed()}: "),
    (2, lambda: f"gives {list((torch.ones(2, 3) @ torch.ones(3, 4)).shape)}."),
    (3, lambda: f"{product()}."),
    (4, lambda: f"{math.exp(0):.0f}; by the factor e, about {math.exp(1):.2f}; "
                f"and {math.log(math.exp(5)):.0f}"),
    (5, slope), (6, looked_up), (7, lambda: f"At {2 - 0.1 * 3:.1f}: ")])
def test_an_answer_is_what_comes_out(question, wanted):
    assert wanted() in ANSWERS[question - 1]


def test_each_question_stands_in_the_table():
    assert len(ANSWERS) == 8
    questions = re.findall(r"^\*\*(\d)\. ", TEXT, re.MULTILINE)
    rows = re.findall(r"^\| question (.*?) \|", TEXT, re.MULTILINE)
    assert questions == sorted(re.findall(r"\d", " ".join(rows)))
