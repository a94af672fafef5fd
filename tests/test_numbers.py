"""Numbers in the prose: those that were wrong in the first edition are found."""

import notebooks as files
import number_checks
import pytest
from books import Book
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


PRINTS = code("prints", "print(result)", files.CLAIM, output="93 of 100\n")


def bounds(*cells):
    return [bound for _, bound, _ in number_checks.bounds(cells)]


# as they stood in the second edition, beside outputs that said 49, 54 %, 13, 93, 8
@pytest.mark.parametrize("sentence, found", [
    ("In more than thirty sentences a model error is proved.", ["more than thirty"]),
    ("More than a third is right to the last piece.", ["More than a third"]),
    ("Greedy makes a search error in at least nine.", ["at least nine"]),
    ("More than 60 of the long ones, and under 30 of the 1,000 usual ones.",
     ["More than 60", "under 30"]),
    ("BLEU moves by less than five points.", ["less than five"]),
    ("At 31 to 40 words it loses nearly half.", ["nearly half"]),
    ("Well over half of the verbs are right.", ["over half"]),
    ("One head gives *not* more than twice an equal share.", ["more than twice"]),
    ("Each dash rests on more than 1,800 labels.", ["more than 1,800"]),
    ("Others reach at most\n.25 in the end.", ["at most .25"]),
    ("<details>\n<summary>Why?</summary>\n\nUp to 48.\n\n</details>", ["Up to 48"]),
    ("## The next section\n\nBelow 71 nothing is gained.", ["Below 71"]),
])
def test_a_bound_beside_an_output_that_does_not_print_it_is_found(sentence, found):
    read = markdown("read", sentence)
    for output in (LIVE, PRINTS):
        assert bounds(output, read) == bounds(read, output) == found
    assert bounds(markdown("recap", "## Recap"), read) == []    # beside no output


@pytest.mark.parametrize("sentence", [
    "93 of 100 are right.", "It finds nearly 93, and at most 100 were there.",
    "Most are right, and nearly all of the short ones.", "The weights add up to 1.",
    "The whole interval lies above 0.", "A mean over five seeds, over eight heads.",
    "> **Predict.** More than 60, or fewer than 30?", "`more than 60` and $x > 60$.",
    "| more than 60 | fewer |", "See chapter 60, or less than chapter 61.",
    "Before 2017 it took longer than today."])
def test_what_is_no_bound_or_is_printed_is_left_alone(sentence):
    assert bounds(PRINTS, markdown("read", sentence)) == []


def test_what_a_predict_offers_may_be_said_again():
    predict = markdown("predict", "> **Predict.** How many?\n>\n> (a) more than 60")
    read = markdown("read", "It is (a), more than 60, and fewer than 70.")
    assert bounds(predict, LIVE, read) == ["fewer than 70"]


def test_a_parameter_binds_and_an_assert_does_not():
    read = markdown("read", "These sentences have at most 24 words.")
    kept = code("kept", "pairs = short(pairs, longest=24)")
    said = code("said", "assert max(lengths) <= 24", "hide-input")
    assert bounds(kept, LIVE, read) == []
    assert bounds(said, LIVE, read) == ["at most 24"]
    small = code("small", "layers = 3", files.CLAIM, output="2\n")
    assert bounds(small, markdown("few", "Errors: at most 3.")) == ["at most 3"]
    # nor does what a section printed that is over
    away = [markdown("next", "## Next"), LIVE, markdown("on", "More than 93.")]
    assert bounds(PRINTS, *away[1:]) == [] and bounds(PRINTS, *away) == ["More than 93"]


def test_each_bound_that_stays_is_on_a_list_and_no_other_is(sample, monkeypatch):
    where = "01_sample.ipynb, cell recap"
    sample.add(code("told", "print(3)"))
    sample.source("recap", "## Recap\n\nAdding adds.", "More than 60.\n\n## Recap")
    check = number_checks.prose_states_no_bound

    def problems(meant):
        monkeypatch.setattr(number_checks, "MEANT", meant)
        return list(check(Book(sample.root)))

    assert problems({}) == [
        f"{where}: 'More than 60' is a bound, in 'More than 60.': let the cell print "
        "its number, or tell the stored one"]
    assert problems({where: "why"}) == []
    gone = "01_sample.ipynb, cell claim"
    assert problems({where: "why", gone: "why"}) == [
        f"number_checks.py: {gone} states no bound now: take it off the list"]
    many = {f"02_other.ipynb, cell {number}": "why" for number in range(21)}
    assert problems(many | {where: "why"})[0] == (
        "number_checks.py: 22 bounds are meant; at most 20 should be")
