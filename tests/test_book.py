"""The book keeps its promises (*_checks.py), and each check finds its breakage."""

import re
import shutil

import book_checks
import cell_checks
import in_short_checks
import nbformat
import notebooks as files
import number_checks
import prose_checks
import pytest
from books import Book
from sample import FIGURE, code, fence, markdown

CHECKS = (book_checks.CHECKS + cell_checks.CHECKS + prose_checks.CHECKS
          + number_checks.CHECKS + in_short_checks.CHECKS)
OF_RUNS = (book_checks.every_chapter_runs, book_checks.free_names_are_the_modules_own,
           cell_checks.shape_notes_are_checked)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_book(check, book):
    problems = list(check(book))
    assert not problems, "\n".join(problems)
    if check in OF_RUNS and (left := len(book.notebooks) - len(book.runs)):
        pytest.skip(f"{left} chapters have not passed since they changed: make test")


def test_every_public_definition_is_quoted_or_declared(book):
    problems = list(book_checks.undeclared(book))
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_sample_has_no_faults(check, sample):
    assert list(check(Book(sample.root))) == []


LONG = ("This sentence goes on and on with one very small word after another "
        "until nobody who reads it aloud has any breath left at all.")


def printed(text):
    return [nbformat.v4.new_output("stream", name="stdout", text=text)]


def described(**part):
    """Metadata of a figure cell, one part of it changed."""
    return {"mystnb": {**FIGURE, **part}}


SHADES = '''\
class Shades:
    """What a shade is.

    And what it is not.
    """

    size = 3

    def __init__(self, colour):
        self.colour = colour

    def dark(self):
        """The darkest."""
        shade = self.colour * 0
        return shade

    def light(self):
        return self.colour + 1


def mixed(a, b):
    """Of two."""
    both = a + b
    # half of it
    return both / 2
'''
ABRIDGED = """\
class Shades:
    ...

    def dark(self):
        ...
        shade = self.colour * 0
        return shade
    ...


def mixed(a, b):
    ...
    return both / 2
"""


def abridge(s, old="", new=""):
    """A page that shows parts of a module, with a change in it."""
    s.write("src/softdict/masks.py", SHADES)
    assert old in ABRIDGED
    text = ABRIDGED.replace(old, new)
    s.add(markdown("part", f"```python\n# src/softdict/masks.py\n{text}```"))


def long_quote(lines):
    """A quote with so many lines of code."""
    head = ["# src/softdict/lookup.py", "def long():", '    """Long.', "", '    """']
    return "\n".join([*head, *["    x = 1"] * (lines - 1)])


# check, the words that must name the problem, and the breakage
def glossary(definition):
    return f"# Glossary\n\n```{{glossary}}\nsum\ntotal\n  {definition}\n```\n"


BREAKAGES = [
    ("quotes_equal_the_source", "the quote differs",
     lambda s: s.source("quote", "    return", "    return 0,")),
    ("quotes_equal_the_source", "the quote differs",
     lambda s: s.edit("src/softdict/lookup.py", "    return", "    return 0,")),
    ("quotes_equal_the_source", "the quote differs",
     lambda s: s.source("quote", "    return", "    # so\n    return")),
    ("quotes_equal_the_source", "defines no softmix",
     lambda s: s.source("quote", "def softmax", "def softmix")),
    ("quotes_equal_the_source", "no file",
     lambda s: s.source("quote", "src/softdict/lookup", "src/softdict/lockup")),
    ("quotes_equal_the_source", "imports and definitions only",
     lambda s: s.source("quote", "def lookup", "print(1)\n\n\ndef lookup")),
    ("quotes_equal_the_source", "the quote differs",
     lambda s: s.source("shown", "    return", "    return 0,")),
    ("quotes_equal_the_source", "defines no cosines",
     lambda s: s.source("shown", "def cosine", "def cosines")),
    ("quotes_equal_the_source", "no file",
     lambda s: s.source("shown", "softdict/lookup", "softdict/lockup")),
    ("quotes_equal_the_source", "names no file",
     lambda s: s.source("shown", "lookup.py\n", "lookup.py")),
    ("quotes_equal_the_source", r"only, not print\(1\)",
     lambda s: s.source("shown", "def cosine", "print(1)\n\n\ndef cosine")),
    ("quotes_equal_the_source", "line 'shade = self.colour' does not follow",
     lambda s: abridge(s, "self.colour * 0", "self.colour")),
    ("quotes_equal_the_source", "mixed: the line 'return both' does not follow",
     lambda s: abridge(s, "return both / 2", "return both")),
    ("quotes_equal_the_source", "part: the quote differs",
     lambda s: abridge(s, "    ...\n    return both", "    return both")),
    ("quotes_equal_the_source", r"mixed: the line '\.\.\.' leaves nothing out",
     lambda s: abridge(s, "both / 2\n", "both / 2\n...\n")),
    ("quotes_equal_the_source", "mixed: the line '# half of it' does not follow",
     lambda s: abridge(s, "b):\n    ...", "b):\n    # half of it\n    ...")),
    ("quotes_equal_the_source", "mixed: more follows on",
     lambda s: abridge(s, "    ...\n    return both / 2", "    ...\n    both = a + b")),
    ("quotes_equal_the_source", "Shades: the line 'def pale.self.:' does not follow",
     lambda s: abridge(s, "def dark", "def pale")),
    ("answers_equal_their_files", "differs",
     lambda s: s.source("answer-2", "number + 2", "number + 1 + 1")),
    ("answers_equal_their_files", "differs",
     lambda s: s.edit("tests/answers/01/01-2.py", "number + 2", "number + 1 + 1")),
    ("answers_equal_their_files", "does not quote",
     lambda s: s.source("answer-2", "01-2", "01-3")),
    ("answers_equal_their_files", "no file",
     lambda s: (s.root / "tests/answers/01/01-2.py").unlink()),
    ("notebooks_are_written_by_make_quotes", "would change",
     lambda s: s.edit("_config.yml", "a/b", "a/c")),
    ("notebooks_are_written_by_make_quotes", "would change",
     lambda s: s.source("setup", "-q", "-U")),
    ("notebooks_are_written_by_make_quotes", "would change",
     lambda s: s.set("claim", metadata={"colab": 1, "tags": [files.CLAIM]})),
    ("notebooks_are_written_by_make_quotes", "<!-- links -->",
     lambda s: s.source("title", "<!-- links -->", "")),
    ("pages_are_written_by_make_quotes", "CONTRIBUTING.md: make quotes would change",
     lambda s: s.edit("CONTRIBUTING.md", "    return", "    return 0,")),
    ("pages_are_written_by_make_quotes", "README.md: make quotes would change",
     lambda s: s.edit("README.md", "/blob/executed/", "/blob/main/")),
    ("pages_are_written_by_make_quotes", "CONTRIBUTING.md: .* defines no softmix",
     lambda s: s.edit("CONTRIBUTING.md", "def softmax", "def softmix")),
    ("every_chapter_runs", "#claim, line 2: AssertionError",
     lambda s: s.source("claim", "print(1 + 1)", "print(1 + 1)\nassert 1 + 1 == 3")),
    ("every_chapter_runs", "#claim, line 1: SyntaxError",
     lambda s: s.source("claim", "print(1", "print((1")),
    ("free_names_are_the_modules_own", "does not know",
     lambda s: s.source("imports", "from softdict.lookup import cosine",
                        "import builtins; builtins.cosine = None")),
    ("free_names_are_the_modules_own", "cosine, which is another object",
     lambda s: s.source("shapes", "scores =", "cosine = 1\nscores =")),
    ("free_names_are_the_modules_own", "softmax, which is another object",
     lambda s: s.source("figure", "plt.plot",
                        "softmax = lambda scores: scores.softmax(-1)\nplt.plot")),
    ("modules_import_from_floors_below", "imports figures",
     lambda s: s.edit("src/softdict/lookup.py", "\ndef softmax",
                      "\nfrom . import figures\ndef softmax")),
    ("modules_import_from_floors_below", "imports checks",
     lambda s: s.edit("src/softdict/lookup.py", "    return",
                      "    from softdict.checks import result\n    return")),
    ("modules_import_from_floors_below", "imports lookup",
     lambda s: s.write("src/softdict/masks.py", "import softdict.lookup")),
    ("modules_import_from_floors_below", "no floor",
     lambda s: s.write("src/softdict/helpers.py", "")),
    ("lower_floors_are_quiet", "print",
     lambda s: s.edit("src/softdict/lookup.py", "    return",
                      "    print(1)\n    return")),
    ("lower_floors_are_quiet", "plot",
     lambda s: s.write("src/softdict/masks.py", "import matplotlib.pyplot")),
    ("lower_floors_are_quiet", "device",
     lambda s: s.write("src/softdict/masks.py", "def f(x):\n    return x.cuda()\n")),
    ("ranges_leave_colab_alone", "install torch$",
     lambda s: s.edit("pyproject.toml", "torch>=2.6", "torch>=2.12")),
    ("ranges_leave_colab_alone", "install numpy$",
     lambda s: s.edit("pyproject.toml", "numpy>=1.26", "numpy>=2.2")),
    ("every_code_cell_parses", "is not Python",
     lambda s: s.add(code("broken", "x = ("))),
    ("every_code_cell_parses", "does nothing",
     lambda s: s.add(code("empty", "# nothing"))),
    ("outputs_are_stored_text", "needs its stored output",
     lambda s: s.set("claim", outputs=[])),
    ("outputs_are_stored_text", "more than text",
     lambda s: s.set("shapes", outputs=[nbformat.v4.new_output(
         "stream", name="stderr", text="50%|##")])),
    ("outputs_are_stored_text", "run count",
     lambda s: s.set("claim", execution_count=3)),
    ("outputs_are_stored_text", "device",
     lambda s: s.set("claim", outputs=printed("tensor([1.], device='cpu')"))),
    ("what_is_printed_fits_the_page", "prints 89 columns",
     lambda s: s.set("claim", outputs=printed("one\n" + "x" * 89))),
    ("cell_ids_are_readable", "no readable id",
     lambda s: s.set("claim", id="a1b2c3d4")),
    ("cell_ids_are_readable", "no readable id", lambda s: s.set("claim", id="Cell_1")),
    ("cell_ids_are_readable", "no readable id",
     lambda s: s.edit("notebooks/01_sample.ipynb", '"id": "claim"', '"id": ""')),
    ("cell_ids_are_readable", "two cells", lambda s: s.set("claim", id="shapes")),
    ("figures_have_alt_and_caption", "alt text",
     lambda s: s.set("figure", metadata=described(image={}))),
    ("figures_have_alt_and_caption", "alt text",
     lambda s: s.set("figure", metadata=described(image={"alt": "a map"}))),
    ("figures_have_alt_and_caption", "no caption",
     lambda s: s.set("figure", metadata=described(figure={"name": "fig-a"}))),
    ("figures_have_alt_and_caption", "name of its own",
     lambda s: s.set("figure", metadata=described(
         figure={"caption": "A line.", "name": "line"}))),
    ("figures_have_alt_and_caption", "name of its own",
     lambda s: s.add(code("second", "plt.plot([2])\nplt.show()", mystnb=FIGURE))),
    ("figures_have_alt_and_caption", "ends with plt.show",
     lambda s: s.source("figure", "\nplt.show()", "")),
    ("figures_have_alt_and_caption", "ends with plt.show",
     lambda s: s.add(code("hidden", "figures.draw_lookup()"))),
    ("figures_have_alt_and_caption", "shows none",
     lambda s: s.set("shapes", metadata={"mystnb": FIGURE})),
    ("notebooks_hold_no_directive", "directive",
     lambda s: s.source("recap", "Adding", "```{note}\nAdding\n```\n")),
    ("notebooks_hold_no_directive", "directive",
     lambda s: s.source("recap", "Adding", ":::{note}\nAdding\n:::\n")),
    ("notebooks_hold_no_directive", "role",
     lambda s: s.source("recap", "Adding", "{cite}`v17`")),
    ("notebooks_hold_no_directive", "label",
     lambda s: s.source("recap", "## Recap", "(recap)=\n## Recap")),
    ("no_comparison_poses_as_a_test", "asserts nothing",
     lambda s: s.source("shapes", "scores =", "1 + 1 == 3\nscores =")),
    ("no_comparison_poses_as_a_test", "asserts nothing",
     lambda s: s.write("tests/test_x.py", "def test():\n    1 == 2 and 3 == 4\n")),
    ("no_comparison_poses_as_a_test", "asserts nothing",
     lambda s: s.write("src/softdict/masks.py", "def f(x):\n    not x < 1\n")),
    ("setup_comes_first", "must be setup",
     lambda s: s.add(code("early", "import math"), at=1)),
    ("setup_comes_first", "more than 6 lines",
     lambda s: s.set("setup", source="\n".join(["import math"] * 7))),
    ("cells_are_short", "13 lines",
     lambda s: s.set("claim", source="\n".join(["print(1)"] * 13))),
    ("cells_are_short", "31 lines",
     lambda s: s.set("stub-1", source="\n".join(["print(1)"] * 31))),
    ("cells_are_short", "quote: 41 lines",
     lambda s: s.set("quote", source=long_quote(41))),
    ("cells_are_short", "shown: 41 lines",
     lambda s: s.set("shown", source=f"```python\n{long_quote(41)}\n```")),
    ("cells_hold_no_tabs_or_semicolons", "semicolon",
     lambda s: s.source("claim", "print(1 + 1)", "print(1 + 1);    # two")),
    ("cells_hold_no_tabs_or_semicolons", "tab",
     lambda s: s.source("claim", " + ", "\t+ ")),
    ("shape_notes_are_checked", "never checked",
     lambda s: s.source("shapes", "weights =",
                        "if scores is None: scores = 1    # [T]\nweights =")),
    ("shape_notes_are_checked", "never checked",
     lambda s: s.source("shapes", "# [T, S]", "# [T, H*S]")),
    ("table_of_contents_is_complete", "01_sample",
     lambda s: s.edit("_toc.yml", "01_sample", "02_other")),
    ("table_of_contents_is_complete", "02_more",
     lambda s: shutil.copy(s.path, s.path.with_name("02_more.ipynb"))),
    ("chapters_have_their_parts", "not a title",
     lambda s: s.source("title", "# 01", "# 02")),
    ("chapters_have_their_parts", "promise",
     lambda s: s.source("promise", "The promise.", "Hello.")),
    ("chapters_have_their_parts", "its minutes",
     lambda s: s.source("promise", "takes about", "needs")),
    ("chapters_have_their_parts", "takes 3. minutes; 30 are",
     lambda s: s.source("promise", "The promise.", "The promise." + " word" * 6000)),
    ("chapters_have_their_parts", "objectives",
     lambda s: s.source("promise", " (01-2)", "")),
    ("chapters_have_their_parts", "prediction",
     lambda s: s.source("predict", "**Predict.**", "Guess.")),
    ("chapters_have_their_parts", "Recap",
     lambda s: s.source("recap", "## Recap", "## The end")),
    ("chapters_have_their_parts", "Sources",
     lambda s: s.source("sources", "## Sources", "## Books")),
    ("chapters_have_their_parts", "2 exercises",
     lambda s: s.drop("text-3", "stub-3", "check-3", "hint-3", "answer-3")),
    ("chapters_have_their_parts", "01-2 needs", lambda s: s.drop("hint-2")),
    ("chapters_have_their_parts", "01-2 needs",
     lambda s: s.cells(lambda cells: cells.sort(key=lambda cell: cell.id == "stub-2"))),
    ("chapters_have_their_parts", "before the first quote",
     lambda s: s.cells(lambda cells: cells.sort(key=lambda cell: cell.id != "quote"))),
    ("chapters_have_their_parts", "NotImplementedError",
     lambda s: s.source("stub-2", "raise NotImplementedError", "pass")),
    ("chapters_have_their_parts", "does not store",
     lambda s: s.set("check-2", metadata={"tags": ["exercise-check", "01-2"]})),
    ("chapters_have_their_parts", "not numbered",
     lambda s: s.edit("notebooks/01_sample.ipynb", '"01-3"', '"01-4"')),
    ("notes_are_finished", "TODO", lambda s: s.source("recap", "Adding", "TODO")),
    ("notes_are_finished", "FIXME",
     lambda s: s.write("src/softdict/masks.py", "# FIXME")),
    ("notes_are_finished", "lorem", lambda s: s.write("book/index.md", "lorem ipsum")),
    ("prose_avoids_banned_words", "'Simply'",
     lambda s: s.source("recap", "Adding", "Simply adding")),
    ("prose_avoids_banned_words", "'note that'",
     lambda s: s.write("book/index.md", "Please note that it adds.")),
    ("sentences_are_short", "26 words",
     lambda s: s.source("recap", "Adding adds.", LONG.replace("at all", "at all now"))),
    ("sentences_are_short", "index.md",
     lambda s: s.write("book/index.md", LONG.replace("at all", "at all by now"))),
    ("links_lead_to_files", "nowhere",
     lambda s: s.source("recap", "adds.", "[adds](02_gone.ipynb#top).")),
    ("links_lead_to_files", "nowhere",
     lambda s: s.write("book/index.md", "![A road.](images/gone.svg)")),
    ("citations_match_the_bibliography", "2018 is not in",
     lambda s: s.source("sources", "2017", "2018")),
    ("citations_match_the_bibliography", "Shazeer 2017 is not in",
     lambda s: s.source("sources", "Vaswani et al.", "Shazeer")),
    ("citations_match_the_bibliography", "cites v17",
     lambda s: s.source("sources", "[Vaswani et al. 2017]", "[Vaswani]")),
    ("terms_lead_both_ways", "sum does not end on a link to its chapter",
     lambda s: s.write("book/glossary.md", glossary("To add."))),
    ("terms_lead_both_ways", "no word leads to sum in the glossary",
     lambda s: s.write("book/glossary.md", glossary(
         "To add. [Chapter 01](../notebooks/01_sample.ipynb#recap)"))),
    ("numbers_are_bound", "nothing binds the number 7.25",
     lambda s: s.source("recap", "## Recap\n\nAdding adds.", "It is 7.25.")),
    ("prose_states_no_bound", "'more than 1.5' is a bound",
     lambda s: s.source("recap", "Adding adds.", "It adds more than 1.5.")),
    ("in_short_stands_where_its_picture_is", "opens with .'title', 'promise', 'setup'",
     lambda s: s.drop("in-short", "in-short-fold")),
    ("in_short_stands_where_its_picture_is", "opens with .'title', 'in-short'",
     lambda s: s.cells(lambda cells: cells.insert(4, cells.pop(1)))),
    ("in_short_stands_where_its_picture_is", "has no picture",
     lambda s: (s.root / "tools/in_short/chapter_01.py").unlink()),
    ("in_short_stands_where_its_picture_is", "no chapter 02",
     lambda s: s.write("tools/in_short/chapter_02.py", "")),
    ("in_short_shows_one_picture", "run make quotes",
     lambda s: s.edit("notebooks/images/in-short-01.svg", "add", "odd")),
    ("in_short_shows_one_picture", "run make quotes",
     lambda s: (s.root / "notebooks/images/in-short-01.svg").unlink()),
    ("in_short_shows_one_picture", "360 units wide",
     lambda s: s.write("tools/in_short/chapter_01.py", "from pictures import picture\n"
                       "def draw():\n    return picture(500, 40, [])\n")),
    ("in_short_shows_one_picture", "letters below 13",
     lambda s: s.edit("tools/in_short/chapter_01.py", '"add"', '"add", 12')),
    ("in_short_shows_one_picture", "needs one picture",
     lambda s: s.source("in-short", "short-01", "short-02")),
    ("in_short_shows_one_picture", "whole sentences",
     lambda s: s.source("in-short", "A row says the word add to those who look, and "
                        "no more than that.", "A row.")),
    ("in_short_says_what_is_needed", "its heading",
     lambda s: s.source("in-short", "## In short", "## In brief")),
    ("in_short_says_what_is_needed", "351 words",
     lambda s: s.source("in-short", "**Adding**", "**Adding**" + " word" * 167)),
    ("in_short_says_what_is_needed", "149 words",
     lambda s: s.source("in-short", " It adds a term." * 40, " It adds a term." * 31
                        + " More.")),
    ("in_short_says_what_is_needed", "3 names in bold",
     lambda s: s.source("in-short", "**terms**", "terms")),
    ("in_short_says_what_is_needed", "says .It costs. 0 times",
     lambda s: s.source("in-short", "*It costs*", "It costs")),
    ("in_short_says_what_is_needed", "is open",
     lambda s: s.source("in-short", "*You", "```python\n1\n```\n\n*You")),
    ("in_short_has_its_fold", "is one <details>",
     lambda s: s.source("in-short-fold", "<summary>The formula</summary>", "Open.")),
    ("in_short_has_its_fold", "no formula",
     lambda s: s.source("in-short-fold", "$a + b$", "a + b")),
    ("in_short_has_its_fold", "has 0 blocks", lambda s: s.drop("in-short-fold")),
    ("in_short_has_its_fold", "has 2 blocks",
     lambda s: s.source("in-short-fold", "</details>",
                        "```python\n1\n```\n\n</details>")),
    ("in_short_has_its_fold", "16 lines",
     lambda s: s.source("in-short-fold", "a = torch", "a = 1\n" * 13 + "a = torch")),
    ("in_short_has_its_fold", "has 42",
     lambda s: s.source("in-short-fold", "ones(2)", "ones(2)" + "    # 4567890123"
                        "456789012")),
    ("in_short_has_its_fold", "line 2 of In short is not Python",
     lambda s: s.source("in-short-fold", "ones(2)", "ones(2")),
    ("in_short_has_its_fold", "imports .'softdict'",
     lambda s: s.source("in-short-fold", "import torch",
                        "import torch\nfrom softdict import attention")),
    ("in_short_has_its_fold", "ends on no value",
     lambda s: s.source("in-short-fold", "(a + a).sum()", "b = a + a")),
    ("in_short_has_its_fold", "belongs into the fold",
     lambda s: s.source("in-short-fold", "</details>", "</details>\n\nmore")),
]


BY_NAME = {check.__name__: check for check in CHECKS}


@pytest.mark.parametrize("check, words, breakage", BREAKAGES,
                         ids=lambda part: part if isinstance(part, str) else "")
def test_each_check_finds_its_breakage(check, words, breakage, sample):
    breakage(sample)
    problems = list(BY_NAME[check](Book(sample.root)))
    assert any(re.search(words, problem) for problem in problems), problems


def test_every_check_was_proved():
    assert set(BY_NAME) == {check for check, _, _ in BREAKAGES}


def test_a_wrong_shape_note_in_a_cell_fails(sample):
    sample.source("shapes", "# [T, S]", "# [S, T, 1]")
    [problem] = book_checks.every_chapter_runs(Book(sample.root))
    assert problem.startswith("01_sample.ipynb#shapes, line 1: ShapeError: "
                              "01_sample.ipynb#shapes:1: the note says")


def test_an_abridged_quote_is_in_order_and_counts(sample):
    abridge(sample)
    book = Book(sample.root)
    assert list(book_checks.quotes_equal_the_source(book)) == []
    assert list(book_checks.every_chapter_runs(book)) == []
    waiting = list(book_checks.waiting(book))
    assert "masks.Shades" not in waiting and "masks.mixed" not in waiting


def test_the_longest_quotes_are_short_enough(sample):
    sample.set("quote", source=long_quote(40))
    sample.set("shown", source=f"```python\n{long_quote(40)}\n    ...\n```")
    assert list(cell_checks.cells_are_short(Book(sample.root))) == []


def test_the_list_of_declared_definitions_is_true(sample):
    sample.write("src/softdict/masks.py", "def mask():\n    pass\n")
    waiting = {name: "no chapter needs it" for name in book_checks.waiting(
        Book(sample.root))}
    assert list(book_checks.undeclared(Book(sample.root), waiting)) == []

    def told(**changes):
        declared = {**waiting, **changes}
        kept = {name: reason for name, reason in declared.items() if reason is not None}
        return list(book_checks.undeclared(Book(sample.root), kept))

    assert told(**{"masks.mask": None}) == [
        "no chapter quotes masks.mask: quote it, or give DECLARED the reason"]
    assert told(**{"masks.mask": "because"}) == [
        "masks.mask stands on DECLARED without a reason"]
    assert told(**{"masks.gone": "no chapter needs it"}) == [
        "masks.gone does not exist: take it off DECLARED"]
    sample.add(markdown("more", fence("mask", file="src/softdict/masks.py")))
    assert told() == ["masks.mask is quoted now: take it off DECLARED"]


def test_the_waiting_list_names_what_no_chapter_quotes(sample):
    sample.write("src/softdict/masks.py",
                 "def causal_mask():\n    pass\n\n\ndef _private():\n    pass\n")
    waiting = list(book_checks.waiting(Book(sample.root)))
    assert "masks.causal_mask" in waiting and "masks._private" not in waiting
    assert "lookup.dot" in waiting
    assert not {"lookup.softmax", "lookup.cosine"} & set(waiting)    # run, and shown


def test_true_sentences_are_left_alone(sample):
    sample.write("book/index.md", f"""# Just a `simply` in code

{LONG} $a$ is short, as [Vaswani et al. 2017](bibliography.md) say, e.g. in section \
3.2. Just as short.

| a table | {LONG} {LONG} |

```python
simply = "{LONG} {LONG}"
```
""")
    book = Book(sample.root)
    assert [*prose_checks.sentences_are_short(book),
            *prose_checks.prose_avoids_banned_words(book)] == [
                "index.md: the word 'Just' in '# Just a · in code'"]
