"""The slides: what is kept and what is left out; a broken one is found in a browser."""

import nbformat
import pages
import pytest
import slides
from sample import code, folded, markdown

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="150"></svg>'
FIGURE = {"image": {"alt": "It says nothing."},
          "figure": {"caption": "A [line](x.ipynb).", "name": "fig-line"}}
LONG = "\n".join(f"a{n} = {n}" for n in range(13))
PROMISE = "**The promise.** You can add.\n\n1. add (exercise 01-1)."


def executed():
    figure = code("draw", "plot(1)\nplt.show()", "hide-input", mystnb=FIGURE)
    figure.outputs = [nbformat.v4.new_output("display_data",
                                             data={"image/svg+xml": SVG})]
    return nbformat.v4.new_notebook(cells=[
        markdown("title", "# 01 · Adding\n\n<!-- links -->\n[Colab](x)\n"
                          "<!-- /links -->"),
        markdown("promise", PROMISE),
        markdown("in-short", "## In short\n\n![An \"arrow\" leads on.](images/"
                 "in-short-07.svg)\n\nIt looks."),
        markdown("in-short-fold", folded("The formula", "```python\nfold\n```")),
        code("setup", "install()"),
        markdown("hook", "## One and one\n\nIt is easy. See [chapter 02](02_a.ipynb), "
                 f"and then {'very ' * 60}much more. Here $1 + 1. $ is 2."),
        code("short", "1 + 1", output="2\n"), code("long", LONG, output="long\n"),
        code("check", "assert True", "hide-input"), figure,
        markdown("ask", "> **Predict.** What is 1 + 2?\n>\n> (a) 2  \n> (b) 3\n\n"
                        "Think first."),
        code("answered", "1 + 2", output="3\n"),
        markdown("read", "It is (b).\n\n" + folded("Why", "A secret.")),
        markdown("text", "## Exercise 01-1 · Add\n\nAdd.", "exercise-text", "01-1"),
        code("bug", "buggy = 1"),
        markdown("hint", folded("Hint", "Count."), "hint", "01-1"),
        markdown("answer", folded("Answer", "Three."), "answer", "01-1"),
        markdown("quiz", "## Quiz\n\n**1.** Why?", "quiz"),
        markdown("recap", "## Recap\n\nYou can add."),
        markdown("recall", "## Recall\n\n**1.** Which?", "recall"),
        markdown("further", "## Going further\n\nMuch."),
        code("late", "further = 1")])


def made(**changes):
    kept = {}

    def keep_figure(name, svg):
        kept[name] = svg
        return f"{name}.svg"

    return slides.slides(executed(), keep_figure), kept


def test_headings_start_slides_and_what_is_long_or_hidden_is_left_out():
    found, kept = made()
    assert [slide.heading for slide in found] == [
        "01 · Adding", "In short", "One and one", "One and one", "One and one",
        "One and one", "Recap"]
    shown = "\n".join(item.content for slide in found for item in slide.items)
    for there in ("1 + 1", "long", "fig-line.svg", "It says nothing.", "A line.",
                  'src="in-short-07.svg" alt="An &quot;arrow&quot; leads on."'):
        assert there in shown
    for gone in ("install", "a12", "assert", "plot", "Colab", "Exercise", "buggy",
                 "Count.", "Three.", "secret", "Quiz", "Recall", "Much", "02_a",
                 "further", "fold"):
        assert gone not in shown
    assert kept.keys() == {"fig-line", "in-short-07"} and kept["fig-line"] == SVG
    assert ">livres</text>" in kept["in-short-07"]


def test_a_predict_stands_alone_and_its_answer_on_the_next_slide():
    found, _ = made()
    [number] = [n for n, slide in enumerate(found) for item in slide.items
                if "Predict" in item.content]
    assert len(found[number].items) == 1
    after = "\n".join(item.content for item in found[number + 1].items)
    assert "3" in after and "It is (b)." in after


def test_a_paragraph_is_cut_behind_a_sentence_and_whole_in_the_notes():
    found, _ = made()
    assert found[2].items[0].content == "It is easy."
    assert "much more" in found[2].notes[0]
    assert slides.beginning("One et al. two. $a. B$ is. " + "Long " * 50) == (
        "One et al. two. $a. B$ is.")


def test_blocks_keep_fences_and_formulas_whole():
    text = "# A\none\ntwo\n\n```python\nx\n\ny\n```\n$$a\n\nb$$\n\n$$c$$\nend"
    assert slides.blocks(text) == ["# A", "one\ntwo", "```python\nx\n\ny\n```",
                                   "$$a\n\nb$$", "$$c$$\nend"]


def test_an_output_that_is_too_long_is_cut():
    item = slides.output_item("\n".join(map(str, range(100))))
    assert item.content.endswith("\n...") and item.height < slides.ROOM


@pytest.fixture
def chapter(tmp_path):
    """The sample's slides, written; without reveal.js there are none."""
    pytest.importorskip("sphinx_revealjs", reason="reveal.js is not here")
    path = tmp_path / "executed/01_adding.ipynb"
    path.parent.mkdir()
    nbformat.write(executed(), path)
    assert slides.write_chapter(path, tmp_path / "slides") == 7
    return tmp_path / "slides/01_adding"


def test_a_folder_holds_all_that_its_slides_load(chapter):
    page = pages.Page((chapter / "index.html").read_text("utf-8"))
    loaded = [name for name in page.loads if not name.startswith("data:")]
    assert loaded and all((chapter / name).is_file() for name in loaded)
    assert (chapter / "reveal/LICENSE").is_file()
    assert sorted(file.name for file in chapter.parent.iterdir()) == ["01_adding"]


needs_browser = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")


@needs_browser
def test_slides_that_fit_pass_and_broken_ones_are_found(chapter):
    page = chapter / "index.html"
    whole = page.read_text("utf-8")
    broken = {"high": whole.replace("It is easy.", "<br>" * 60 + "It is easy."),
              "wide": whole.replace("<p>It is easy.", '<p style="width: 3000px">It is'),
              "outside": whole.replace(
                  "</head>", '<script src="https://example.org/x.js"></script></head>')}
    with pages.Browser(chapter.parent) as browser:
        assert slides.overflowing(browser, "01_adding/index.html") == []
        for word, kind in {"high": "below", "wide": "beside",
                           "outside": "asks for"}.items():
            assert broken[word] != whole
            page.write_text(broken[word], "utf-8")
            found = slides.overflowing(browser, "01_adding/index.html")
            assert any(kind in problem for problem in found), (word, found)


def test_without_reveal_or_notebooks_one_sentence_says_so(tmp_path, monkeypatch,
                                                          capsys):
    monkeypatch.setattr(slides.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OSError, match="sphinx-revealjs"):
        slides.reveal()
    assert slides.main(tmp_path, tmp_path / "out") == 1
    assert "make book" in capsys.readouterr().out
