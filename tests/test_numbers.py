"""Numbers in the prose: those that were wrong in the first edition are found."""

import notebooks as files
import number_checks
import pytest
from sample import code, markdown

LIVE = code("live", "print(score(model))")


def found(*cells):
    return [number for _, number, _ in number_checks.unbound(cells)]


# as they stood in the first edition, most of them beside an output that said another
@pytest.mark.parametrize("sentence, numbers", [
    ("Two errors in one sentence; the next is right.", ["Two"]),
    ("One content word in a hundred is lost.", ["One"]),
    ("The training takes three minutes.", ["three"]),
    ("With us it is (b): 3 to 8 ms, against 11 or 12 for the fused attention.",
     ["3", "8", "11", "12"]),
    ("The register is right for about 70 of 100 verbs instead of 97.",
     ["70", "100", "97"]),
    ("With us 86 of 100 verbs are right, against 90.", ["86", "100", "90"]),
    ("It is (c): 61 with us, where the model without any codes has 63.", ["61", "63"]),
    ("With our answer it was .91 and .72.", [".91", ".72"]),
    ("With us the plain one is sure of 94 words in 100.", ["94", "100"]),
    ("An update takes 203 ms against 244 ms.", ["203", "244"]),
    ("We saw three fifths to two thirds of the time.", ["three", "two"]),
    ("Its share is .685 at the end.", [".685"]),
])
def test_a_number_that_only_a_live_run_printed_is_found(sentence, numbers):
    assert found(LIVE, markdown("read", sentence)) == numbers


def test_a_bound_number_is_not():
    read = markdown("read", "It keeps more than 60 of 100, and in nine of ten rows.")
    said = code("bound", "assert share > 0.6\nassert rows >= 9 / 10", "hide-input")
    told = code("told", "print(result)", files.CLAIM, output="60 of 100, 90 %\n")
    assert found(LIVE, read) == ["60", "100", "nine"]
    assert found(LIVE, said, read) == found(LIVE, read, said) == ["100"]
    assert found(told, read) == []    # compared: no live output at all
    assert found(told, markdown("on", "Now we train."), LIVE, read) == ["nine"]
    heading = markdown("next", "## The next section")
    assert found(told, heading, LIVE, read) == ["60", "100", "nine"]


def test_what_is_drawn_or_set_binds_figures_but_no_words():
    drawn = code("drawn", "train(updates=400)\nplt.axvline(7)\nplt.show()",
                 mystnb={"figure": {"name": "fig-a"}})
    assert found(drawn, markdown("read", "After 400 updates, behind 7.")) == []
    assert found(drawn, markdown("read", "It is seven times as much.")) == ["seven"]


@pytest.mark.parametrize("text", [
    "Chapter 05 and chapters 06 to 08 say so, as exercise 05-2 and head 3 do.",
    "Vaswani et al. 2017, section 3.2, table 2.", "Set `rate=0.3` and $x = 4$.",
    "> Is it (a) 3 or (b) 7?", "| 3 | 4 |", "[page 3](other.md#x-12)",
    "So 5/8 + 1/8 = 0.75, and 1,000 · 3 = 3,000.", "## The next\n\nThere are 800.",
    "<details>\n<summary>Why</summary>\n\nIt was 61.\n\n</details>",
    "Two networks share three parts."])
def test_places_parameters_and_true_equations_are_no_results(text):
    assert found(LIVE, markdown("read", text)) == []


def test_a_false_equation_is_found():
    assert found(LIVE, markdown("read", "Here 5/8 + 1/8 = 0.74 holds.")) == [
        "5", "8", "1", "8", "0.74"]


def test_exceptions_are_needed_and_few(sample, monkeypatch):
    from books import Book

    monkeypatch.setattr(number_checks, "EXCEPTIONS",
                        {f"01_sample.ipynb, cell c{k}": "why" for k in range(21)})
    words = list(number_checks.numbers_are_bound(Book(sample.root)))
    assert len(words) == 22 and "cell c0 needs no exception" in words[0]
    assert "21 exceptions; at most 20" in words[-1]
