"""Moodle's XML, read back by its documented rules, and the examination questions."""

import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations

import build
import moodle
import notebooks as files
import practice
import prose_checks
import pytest
from books import ROOT
from lxml import etree, html

sys.path.append(str(ROOT / "assignments"))
import examination

SEEDS = range(12)
# what format.php reads in each type, and what stands in all of them
COMMON = ["name", "questiontext", "generalfeedback", "defaultgrade", "penalty",
          "hidden", "idnumber"]
OWN = {"multichoice": ["single", "shuffleanswers", "answernumbering"],
       "numerical": [], "shortanswer": ["usecase"]}


def accepts(question, typed):
    """The per cent and the feedback that Moodle gives for what was typed; None if no
    answer fits. Numbers are compared with the tolerance; in words, * is anything."""
    for answer in question.iterfind("answer"):
        told = answer.findtext("text")
        if question.get("type") == "numerical":
            off = abs(Fraction(typed) - Fraction(told))
            fits = off <= Fraction(answer.findtext("tolerance"))
        else:
            parts = re.split(r"(?<!\\)\*", told)
            pattern = ".*".join(re.escape(part.replace(r"\*", "*")) for part in parts)
            fits = re.fullmatch(pattern, typed, re.IGNORECASE)
        if fits:
            return int(answer.get("fraction")), answer.findtext("feedback/text")
    return None


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Both files as Moodle finds them: lists of the elements in a quiz."""
    folder = tmp_path_factory.mktemp("moodle")
    counts = moodle.write(folder / "new", 3)
    assert counts == {"recall": len(practice.items()),
                      "examination-3": len(examination.QUESTIONS)}
    found = {}
    for name in counts:
        quiz = etree.parse(str(folder / "new" / f"{name}.xml")).getroot()
        assert quiz.tag == "quiz" and {one.tag for one in quiz} == {"question"}
        found[name] = list(quiz)
    return found


@pytest.mark.parametrize("name, kind, seed", [
    ("recall", "Recall", None), ("examination-3", "Examination 3", 3)])
def test_categories_are_the_chapters_and_every_question_stands_in_its_own(
        written, name, kind, seed):
    chapter, seen = None, []
    for one in written[name]:
        if one.get("type") == "category":
            path = one.findtext("category/text").split("/")
            assert path[:-1] == ["$course$", "top", "From Dictionary to Transformer",
                                 kind]
            chapter = path[-1][:2]
        else:
            assert one.findtext("idnumber") == one.findtext("name/text")
            assert one.findtext("name/text").startswith(f"{kind} {chapter}")
            seen.append(one.findtext("name/text").removeprefix(f"{kind} "))
    items = practice.items() if seed is None else examination.examination(seed)
    assert sorted(seen) == sorted(items)


@pytest.mark.parametrize("name", ["recall", "examination-3"])
def test_a_question_has_the_elements_that_moodle_reads_and_no_others(written, name):
    for one in written[name]:
        if (kind := one.get("type")) == "category":
            assert [part.tag for part in one] == ["category"]
            continue
        tags = [part.tag for part in one if part.tag != "answer"]
        assert tags == COMMON + OWN[kind]
        for part in one.iterfind("answer"):
            wanted = ["text", "feedback"] + ["tolerance"] * (kind == "numerical")
            assert [child.tag for child in part] == wanted
            assert part.get("format") == ("html" if kind == "multichoice"
                                          else "moodle_auto_format")
            assert part.findtext("text").strip() and part.findtext("feedback/text")
        shares = [int(part.get("fraction")) for part in one.iterfind("answer")]
        assert set(shares) == {0, 100}
        if kind == "multichoice":
            assert shares.count(100) == 1 and len(shares) in (3, 4)
            assert one.findtext("single") == one.findtext("shuffleanswers") == "true"
        for text in one.iter("text"):
            if text.getparent().get("format") == "html":
                assert html.fromstring(text.text) is not None
                rest = re.sub(r"<code>.*?</code>|<pre>.*?</pre>", "", text.text)
                assert not re.search(r"\$|\]\(|\*\*", rest)


def question(written, name):
    [found] = [one for one in written["recall"]
               if one.findtext("idnumber") == f"Recall {name}"]
    return found


def test_a_choice_gives_each_answer_its_own_feedback(written):
    found = question(written, "02-third")
    told = [(html.fromstring(one.findtext("text")).text_content(), one.get("fraction"),
             one.findtext("feedback/text")) for one in found.iterfind("answer")]
    assert told[3][:2] == ("It learns nothing, since the gradient of the query is 0.",
                           "100")
    assert "For a jump the query must move" in told[2][2] and told[2][1] == "0"
    assert "(a)" not in etree.tostring(found, encoding="unicode")    # they are shuffled
    general = found.findtext("generalfeedback/text")
    assert "So the answer does not move." in general and "Chapter 02, under" in general


ITEMS = practice.items()


@pytest.mark.parametrize("name", [name for name, item in ITEMS.items()
                                  if item["kind"] != "choice"])
def test_what_the_site_takes_for_right_moodle_does_and_what_tempts_it_refuses(
        written, name):
    item, found = ITEMS[name], question(written, name)
    number = item["kind"] == "number"
    general = html.fromstring(found.findtext("generalfeedback/text")).text_content()
    assert general.split()[0] == re.sub(r"[*`$]", "", item["why"]).split()[0]
    right = [one for one in item["right"] if not number or moodle.value(one)
             is not None]
    assert right
    for one in right:
        assert accepts(found, moodle.value(one) if number else one)[0] == 100
    for wrong, why in item["tempting"]:
        if number and moodle.value(wrong) is None:
            continue
        share, told = accepts(found, moodle.value(wrong) if number else wrong)
        assert share == 0
        assert html.fromstring(told).text_content().split()[:2] == re.sub(
            r"[*`]", "", why).split()[:2]
    if item["kind"] == "shape":
        assert accepts(found, item["right"][0].replace(" ", ""))[0] == 100


def test_a_star_is_itself_and_a_ratio_no_number(written):
    assert accepts(question(written, "07-eighth"), "*Luong*")[0] == 100
    assert accepts(question(written, "07-eighth"), "x-Luong-x") is None
    assert moodle.value("9 : 1") is None and moodle.value("25 %") is None
    assert moodle.value("−1/4") == Fraction(-1, 4) and moodle.value("± 1.5") is None
    assert accepts(question(written, "19-third"), Fraction("0.5"))[0] == 100


# The examination ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_an_examination_asks_twice_about_each_chapter_and_has_one_right_answer(seed):
    items = examination.examination(seed)
    assert Counter(name[:2] for name in items) == {
        path.name[:2]: 2 for path in files.paths() if path.name[0] != "C"}
    for name, item in items.items():
        keys = {"id", "kind", "question", "right", "why", "tempting"}
        assert set(item) - {"tolerance"} == keys and item["id"] == name
        told = [*item["right"], *(wrong for wrong, _ in item["tempting"])]
        assert len(set(told)) == len(told) and len(told) >= 3
        if item["kind"] == "number":
            for a, b in combinations(map(Fraction, told), 2):
                assert abs(a - b) > 2 * item["tolerance"], (name, told)
        texts = [item["question"], item["why"], *(why for _, why in item["tempting"])]
        for text in texts:
            assert re.search(r"[\w)`][.?]$", text), (name, text)
            for sentence in prose_checks.sentences(text):
                assert len(sentence.split()) <= prose_checks.WORDS, sentence
        assert item["question"].endswith("?") and len(set(texts)) == len(texts)


def test_a_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = map(examination.examination, (3, 3, 4))
    assert first == again
    same = [name for name, item in first.items()
            if item["question"] == other[name]["question"]]
    assert len(same) < len(first) / 5
    every = [*map(examination.examination, SEEDS)]
    for name in first:    # no question is the same for all seeds
        assert len({one[name]["question"] for one in every}) > 2, name


BY_HAND = {    # of seed 3, with pencil and paper
    "01.1": "41", "01.2": "[8, 6]", "02.1": "0.585786", "02.2": "0.710059",
    "03.1": "-0.7", "03.2": "1.8", "04.1": "[4, 10, 5]", "04.2": "6", "05.1": "8",
    "05.2": "1.4", "06.1": "0.32", "06.2": "12", "07.1": "28", "07.2": "[5, 7, 4]",
    "08.1": "16", "08.2": "490", "09.1": "30", "09.2": "1", "10.1": "4096",
    "10.2": "[6, 7, 4, 5]", "11.1": "33", "11.2": "0.6", "12.1": "16", "12.2": "0.009",
    "13.1": "7", "13.2": "7.59375", "14.1": "682", "14.2": "19", "15.1": "0.005",
    "15.2": "0.82", "16.1": "9.8", "16.2": "0.0571429", "17.1": "0.6", "17.2": "-3",
    "18.1": "204800", "18.2": "7", "19.1": "12", "19.2": "512", "20.1": "15",
    "20.2": "3", "21.1": "45", "21.2": "40", "22.1": "1", "22.2": "0.543928",
    "23.1": "12", "23.2": "1"}


def test_each_answer_is_what_was_computed_by_hand():
    assert BY_HAND == {name: item["right"][0]
                       for name, item in examination.examination(3).items()}


def test_the_examination_is_on_no_page_and_in_no_copy():
    """Neither its words nor its file get to the site, to students or into the deck."""
    def runs(text):
        words = re.findall(r"[a-z]+", text.lower())
        return {tuple(words[k:k + 8]) for k in range(len(words) - 7)}

    asked = set().union(*(runs(item["question"]) for seed in (0, 3)
                          for item in examination.examination(seed).values()))
    assert len(asked) > 400
    pages = [*(ROOT / "book").rglob("*.md"), *(ROOT / "book").rglob("*.toml"),
             *files.paths(), *(ROOT / "web").glob("*.js")]
    for path in pages:
        text = path.read_text("utf-8")
        assert not asked & runs(text), (path.name, asked & runs(text))
    assert not [path for path in build.sources() if "assignments" in path.parts]
    # who looks for a question finds it in one place
    found = subprocess.run(["git", "grep", "-l", "-F", "examination.examination"],
                           cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert set(found) <= {"tools/moodle.py", "tests/test_moodle.py"}


@pytest.mark.parametrize("seed", ["", "x", "-1", "3.5"])
def test_a_seed_that_is_none_is_refused_before_anything_is_written(seed, monkeypatch):
    monkeypatch.setattr(build, "python",
                        lambda *given, **more: pytest.fail("it was written"))
    with pytest.raises(build.Stop, match=f"as in make moodle SEED=3; got '{seed}'"):
        build.moodle(seed)
