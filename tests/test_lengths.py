"""How long a chapter is, counted by hand on a notebook made for it."""

from types import SimpleNamespace

import lengths


def cell(kind, source, *tags, **metadata):
    return SimpleNamespace(cell_type=kind, source=source, get=dict(id="x").get,
                           metadata={"tags": list(tags), **metadata})


NOTEBOOK = SimpleNamespace(cells=[
    cell("markdown", "![many words of alt](images/a.svg)\n\none two\n\n"
                     "> **Predict.** three?\n> (a) four"),
    cell("code", "a = 1\n\nb = 2    # seen"),
    cell("code", "assert a", "hide-input"),
    cell("markdown", "a task", "exercise-text", "01-1"),
    cell("code", "pass", "exercise", "01-1"),
    cell("markdown", "five\n\n```python\nx = 1\n\ny = 2\n```\n\n<!-- links -->\n\n"
                     "<details>\n<summary>Why</summary>\n\nhidden words\n\n</details>"),
    cell("code", "plt.show()", mystnb={"figure": {"name": "fig-a"}}),
    cell("markdown", "## Recap\n\nsix seven"),
    cell("markdown", "## Recall\n\n**1.** What?\n\nIt is.\n\n**2.** Why?", "recall"),
    cell("markdown", "## Going further\n\nmore words"),
    cell("code", "c = 3"),
    cell("markdown", "> **Predict.** and more")])


def test_the_main_road_is_counted_and_nothing_beside_it():
    # words: 2 + (> **Predict.** three? > (a) four = 6) + five + (## Recap six seven)
    assert lengths.length(NOTEBOOK) == (13, 2 + 2 + 1, 1 + 1, 1, 2)


def test_the_road_ends_at_the_sources_where_nothing_goes_further():
    cells = [cell("markdown", "one\n\n## Sources\n\n- two"), cell("markdown", "three")]
    assert lengths.length(SimpleNamespace(cells=cells)) == (1, 0, 0, 0, 0)


def test_minutes_are_those_of_a_calm_reader():
    page = [cell("markdown", "word " * 600), cell("code", "x = 1\n" * 60),
            *[cell("code", "show()", mystnb={"figure": {}}) for _ in range(4)],
            cell("markdown", "\n".join(["> **Predict.**"] * 3)),
            cell("markdown", "**1.** word\n\n**2.** word\n\n**3.** word", "recall")]
    # 606 words, 64 lines, 4 figures, 3 predictions, 3 recalls of half a minute
    assert lengths.minutes(SimpleNamespace(cells=page)) == round(
        606 / 200 + 64 / 30 + 4 / 2 + 3 / 3 + 3 / 2) == 10


def test_a_promise_says_what_the_exercises_take_together():
    promise = SimpleNamespace(
        cell_type="markdown", get=dict(id="promise").get, metadata={},
        source="Reading takes about 1 minutes, and the exercises about an hour more.")
    tasks = [cell("markdown", f"★ · {n} minutes · objective 1", "exercise-text")
             for n in (15, 20, 17)]
    lengths.with_minutes(SimpleNamespace(cells=[promise, *tasks]))
    assert promise.source == ("Reading takes about 0 minutes, and the exercises about "
                              "50 more.")
    promise.source = "the exercises take about 5 minutes more"
    lengths.with_minutes(SimpleNamespace(cells=[promise, *tasks[:1]]))
    assert promise.source == "the exercises take about 15 more"
