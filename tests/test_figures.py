"""figures: what a drawing says in lines and texts, and the same bytes at every run."""

import io

import IPython
import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import pytest  # noqa: E402
from matplotlib_inline import backend_inline  # noqa: E402

from softdict import figures, runtime  # noqa: E402


@pytest.fixture(autouse=True)
def settings():
    with matplotlib.rc_context():
        figures.style()
        yield
    plt.close("all")


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_a_notebook_gets_svg_and_outside_of_one_no_shell_is_started(monkeypatch):
    assert IPython.get_ipython() is None    # `settings` has called style
    asked = []
    monkeypatch.setattr(runtime, "shell", lambda *given, **more: "a notebook's")
    monkeypatch.setattr(backend_inline, "set_matplotlib_formats",
                        lambda *formats, **more: asked.append(formats))
    figures.style()
    assert asked == [("svg",)]


def test_a_lookup_draws_weight_as_width_and_zero_as_dots():
    figure = figures.draw_lookup("cat?", ["dog", "cat"], [0, 1.0], ["2", "3"], "three")
    lines = [line for line in figure.axes[0].lines if line.get_color() == figures.MUTED]
    dotted = [line for line in lines if line.get_linestyle() == ":"]
    solid = [line for line in lines if line.get_linestyle() == "-"]
    assert len(dotted) == len(solid) == 2    # to the key, and from the value
    assert (min(line.get_linewidth() for line in solid)
            > max(line.get_linewidth() for line in dotted))
    assert {"cat?", "dog", "cat", "2", "3", "three", "0", "1"} <= set(texts(figure))


def test_half_the_weight_is_drawn_thinner_than_all_of_it():
    def widest(weight):
        figure = figures.draw_lookup("q", ["a", "b"], [weight, 0], ["1", "2"], "1")
        return max(line.get_linewidth() for line in figure.axes[0].lines)

    assert widest(0.25) < widest(0.5) < widest(1.0)


def test_a_product_shows_every_number_and_sign():
    figure = figures.draw_product([("keys", [[1, 0.5], [0, 2]], ["dog", "cat"],
                                    figures.KEY), "@",
                                   ("query", [[3], [4]], None, figures.QUERY)])
    assert texts(figure).count("0.5") == 1
    assert ({"keys", "dog", "cat", "1", "0", "2", "3", "4", "@", "query"}
            <= set(texts(figure)))


def test_a_map_of_weights_has_queries_in_rows_and_one_stated_scale():
    _, ax = plt.subplots()
    image = figures.draw_weights(ax, [[0.25, 0.75, 0.0]], ["puppy"],
                                 ["computer", "dog", "cat"])
    assert image.get_array().shape == (1, 3)
    assert image.get_clim() == (0.0, 1.0)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["puppy"]
    assert ([label.get_text() for label in ax.get_xticklabels()]
            == ["computer", "dog", "cat"])
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75", "0.00"]


def test_batches_draw_every_cell_of_every_sheet():
    figure = figures.draw_batches([("query", 2, 3, 4, figures.QUERY), "=",
                                   ("scores", 1, 1, 5, figures.MUTED)])
    outlines = [patch for patch in figure.axes[0].patches if not patch.get_fill()]
    assert len(outlines) == 2 * 3 * 4 + 5


def test_a_figure_is_the_same_file_at_every_run_and_keeps_its_text():
    def drawn():
        file = io.BytesIO()
        figures.draw_lookup("cat?", ["dog", "cat"], [0, 1], ["2", "3"], "3").savefig(
            file, format="svg", metadata={"Date": None})
        return file.getvalue()

    first = drawn()
    assert first == drawn()
    assert b">cat?</text>" in first


def test_a_pair_shows_every_word_and_tells_sure_links_from_possible_ones():
    target = [("gae", "dog", "개"), ("-neun", "TOP", "-는"), ("ja", "sleep", "자")]
    sure, possible = [(1, 0), (2, 2)], [(0, 1), (1, 0), (2, 2)]
    figure = figures.draw_pair(["the", "dog", "slept"], target, sure, possible)
    assert {"the", "dog", "slept", "gae", "-neun", "ja", "TOP", "sleep", "개", "-는",
            "자"} <= set(texts(figure))
    assert [line.get_linestyle() for line in figure.axes[0].lines] == [":", "-", "-"]


def test_a_translator_has_a_mark_for_each_state_and_one_for_the_vector_between():
    figure = figures.draw_translator(["the", "dog"], ["<bos>", "gae", "-neun"],
                                     ["gae", "-neun", "<eos>"])
    marks = [line.get_marker() for line in figure.axes[0].lines]
    assert (marks.count("s"), marks.count("^"), marks.count("o")) == (2, 1, 3)
    assert ({"the", "dog", "<bos>", "<eos>", "encoder", "context", "decoder"}
            <= set(texts(figure)))
    assert texts(figure).count("gae") == 2    # written, then read


def test_a_map_outlines_gold_links_and_can_do_without_numbers():
    _, ax = plt.subplots()
    figures.draw_weights(ax, [[0.2, 0.8], [1.0, 0.0], [0.5, 0.5]], list("abc"),
                         list("xy"), numbers=False, gold=[(1, 0), (0, 2)])
    outlines = [patch for patch in ax.patches if isinstance(patch, plt.Rectangle)]
    assert ([(patch.get_x() + 0.5, patch.get_y() + 0.5) for patch in outlines]
            == [(1, 0), (0, 2)])
    assert not ax.texts


def test_quality_by_length_shows_the_mean_and_every_seed():
    figure = figures.draw_by_length(
        {"BLEU": {"one": [[10, 20], [30, 40]], "two": [[5, 6]]},
         "exact": {"one": [[1, 2]]}}, ["4-8", "9-12"], trained=1)
    left, right = figure.axes
    assert ([list(line.get_ydata()) for line in left.lines[:3]]
            == [[20, 30], [10, 20], [30, 40]])
    assert ([label.get_text() for label in figure.legends[0].get_texts()]
            == ["one", "two"])
    assert [label.get_text() for label in right.get_xticklabels()] == ["4-8", "9-12"]
    assert right.get_title() == "exact"
