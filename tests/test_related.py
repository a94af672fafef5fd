"""Answers of *Asked by learners* lead to those near them."""

import math
import random
from collections import Counter
from html import escape

import pytest
import related
import search
from bs4 import BeautifulSoup

HEADINGS = ("Which mask hides the pads?", "Which mask hides <pad>?",
            "What is BLEU?", "How is BLEU computed?", "Why warm up?")
ASKED = [(heading, "It is told here.", "x = mask" * (not number), "")
         for number, heading in enumerate(HEADINGS)]
ROWS = "".join(f"{heading}\tI ask\ta forum\n" for heading in HEADINGS)


def page(name, numbers):
    answers = "".join(
        f'<section id="a{n}">\n<h3>{escape(HEADINGS[n])}'
        f'<a class="headerlink" href="#a{n}">#</a></h3>\n<p>It is told here.</p>\n'
        "</section>\n" for n in numbers)
    return (f'<article class="bd-article"><section id="{name}"><h1>{name}</h1>\n'
            "<p>Which mask hides the pads, and what is BLEU?</p>\n"
            f'<section id="topic"><h2>Topic</h2>\n{answers}</section></section>'
            "</article>")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "ASKED", tmp_path)
    for name, text in (("book/asked/one.html", page("one", (0, 2, 4))),
                       ("book/asked/two.html", page("two", (1, 3))),
                       ("book/other.html", page("other", (0, 2)))):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    for name in ("one.tsv", "two.tsv"):
        (tmp_path / name).write_text(ROWS, "utf-8")
    (tmp_path / "_static").mkdir()
    return tmp_path


def shown(site, name):
    soup = BeautifulSoup((site / "book" / name).read_text("utf-8"), "html.parser")
    return {part["id"]: [(link["href"], link.get_text())
                         for link in part.select(".related a")]
            for part in soup.select("section[id^=a]")}


def test_what_is_asked_in_the_same_rare_words_is_near(monkeypatch):
    assert list(related.related(ASKED)) == [[1], [0], [3], [2], []]
    monkeypatch.setattr(related, "LEAST", 0)
    monkeypatch.setattr(related, "MOST", 1)
    assert [len(others) for others in related.related(ASKED)] == [1, 1, 1, 1, 0]


def test_the_words_of_askers_count():
    told = [("", "", "", "exploding softmax"), ("", "", "", "softmaxes explode"),
            ("", "", "", "a cat")]
    assert list(related.related(told)) == [[1], [0], []]


def test_the_cosine_is_that_of_a_plain_loop(monkeypatch):
    rng = random.Random(1)
    told = [tuple(" ".join(rng.choices("abcdefghij", k=5)) for _ in range(4))
            for _ in range(12)]
    counts = [Counter() for _ in told]
    for count, parts in zip(counts, told):
        for weight, part in zip((3, 1, .3, 2), parts):
            for word in part.split():
                count[word] += weight
    rare = {word: math.log(12 / sum(word in count for count in counts))
            for word in "abcdefghij"}
    rows = [[math.log(1 + count[word]) * rare[word] for word in rare]
            for count in counts]

    def cosine(one, other):
        return (sum(x * y for x, y in zip(one, other))
                / math.sqrt(sum(x * x for x in one) * sum(y * y for y in other)))

    monkeypatch.setattr(related, "MOST", 3)
    monkeypatch.setattr(related, "LEAST", 0.5)
    for number, found in enumerate(related.related(told)):
        cosines = {other: cosine(rows[number], rows[other])
                   for other in range(12) if other != number}
        assert found == [other for other in sorted(cosines, key=cosines.get)[:-4:-1]
                         if cosines[other] > 0.5]


def test_links_stand_below_their_answer_and_nowhere_else(site):
    before = (site / "book/other.html").read_text("utf-8")
    found = search.write(site)
    related.link_answers(site, found)
    assert shown(site, "asked/one.html") == {
        "a0": [("two.html#a1", HEADINGS[1])], "a2": [("two.html#a3", HEADINGS[3])],
        "a4": []}
    assert shown(site, "asked/two.html") == {
        "a1": [("one.html#a0", HEADINGS[0])], "a3": [("one.html#a2", HEADINGS[2])]}
    assert (site / "book/other.html").read_text("utf-8") == before
    assert search.index(site) == found    # a link is no text of its answer
