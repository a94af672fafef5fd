"""Questions for a class as Moodle imports them: its own XML, a category a chapter.

    python tools/moodle.py FOLDER SEED

recall.xml has the questions of the recall, which stand in the chapters, too;
examination-SEED.xml has those of assignments/examination.py, which stand nowhere else.
Each answer has its feedback. The elements are those that Moodle's format.php reads
(github.com/moodle/moodle, question/format/xml).
"""

import importlib.util
import re
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path

import practice
from cards import NAME, place, title
from environment import script, write_whole
from html_text import ROOT, html, site

NUMBER = re.compile(r"[±-]?\d*\.?\d+(/\d+)?")
ROUNDED = 0.005    # how far a number may be off that is not whole
TYPES = {"choice": "multichoice", "number": "numerical", "word": "shortanswer",
         "shape": "shortanswer"}


def value(text):
    """What was typed as a number; None for words, and for a ratio as in 9 : 1."""
    text = text.replace("−", "-")
    return Fraction(text.lstrip("±")) if NUMBER.fullmatch(text) else None


def answers(item, address):
    """Quadruples of an item: an answer, its per cent, its feedback, its tolerance."""
    if item["kind"] == "choice":
        for number, (answer, why) in enumerate(item["answers"]):
            yield (html(practice.line(answer), address),
                   100 if number == item["right"] else 0, practice.line(why), None)
        return
    pairs = [(right, 100, practice.line(item["why"])) for right in item["right"]]
    pairs += [(wrong, 0, practice.line(why)) for wrong, why in item["tempting"]]
    if item["kind"] == "number":
        known = set()
        for answer, share, why in pairs:
            found = value(answer)
            if found is not None and found not in known:
                known.add(found)
                whole = found.denominator == 1 and share == 100
                yield (f"{float(found):.9g}", share, why,
                       item.get("tolerance", 0 if whole else ROUNDED))
        return
    known = set()
    for answer, share, why in pairs:
        spelled = {answer, answer.replace(" ", "")} if item["kind"] == "shape" else {
            answer}
        for one in sorted(spelled - known, key=len, reverse=True):
            known.add(one)
            yield one.replace("*", r"\*"), share, why, None    # * stands for any words


def element(parent, name, text=None, **attributes):
    """A new element in another; a text stands in an element of its own."""
    made = ET.SubElement(parent, name, attributes)
    if text is not None:
        ET.SubElement(made, "text").text = text
    return made


def question(item, name, where, address):
    """The element of an item; `where` is said to all who have answered."""
    made = ET.Element("question", type=TYPES[item["kind"]])
    element(made, "name", name)
    element(made, "questiontext", html(practice.unwrapped(item["question"]), address),
            format="html")
    why = item["answers"][item["right"]][1] if item["kind"] == "choice" else item["why"]
    element(made, "generalfeedback", html(practice.line(why), address) + where,
            format="html")
    for key, told in (("defaultgrade", "1"), ("penalty", "0.3333333"), ("hidden", "0"),
                      ("idnumber", name)):
        ET.SubElement(made, key).text = told
    if item["kind"] == "choice":
        for key, told in (("single", "true"), ("shuffleanswers", "true"),
                          ("answernumbering", "abc")):
            ET.SubElement(made, key).text = told
    elif item["kind"] != "number":
        ET.SubElement(made, "usecase").text = "0"
    form = "html" if item["kind"] == "choice" else "moodle_auto_format"
    for answer, share, why, tolerance in answers(item, address):
        one = element(made, "answer", answer, fraction=str(share), format=form)
        element(one, "feedback", html(why, address), format="html")
        if tolerance is not None:
            ET.SubElement(one, "tolerance").text = f"{float(tolerance):.9g}"
    return made


def quiz(kind, found):
    """The XML of all questions; found are triples of chapter, item and place."""
    made, last, address = ET.Element("quiz"), None, site()
    for chapter, item, where in sorted(found, key=lambda one: one[0]):
        if chapter != last:
            head = ET.SubElement(made, "question", type="category")
            path = [NAME, kind, title(int(chapter))]    # a slash in a name is doubled
            element(head, "category", "/".join(["$course$", "top", *(
                part.replace("/", "//") for part in path)]))
            last = chapter
        made.append(question(item, f"{kind} {item['id']}", where, address))
    ET.indent(made)
    return ET.tostring(made, encoding="utf-8", xml_declaration=True) + b"\n"


def recall():
    """The questions of the recall, with the section that answers each."""
    for name, item in practice.items().items():
        stem, heading = practice.section(item)
        yield name[:2], item, place(name[:2], f"{stem}.ipynb#{item['where']}", site(),
                                    f", under *{heading}*")


def examination(seed):
    """The examination questions with the numbers of a seed."""
    path = ROOT / "assignments/examination.py"
    spec = importlib.util.spec_from_file_location("examination", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, item in module.examination(seed).items():
        yield name[:2], item, f"<p>Chapter {name[:2]}</p>"


def write(folder, seed):
    """Writes both files, and returns how many questions each has."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = {}
    for name, kind, found in (("recall", "Recall", [*recall()]), (
            f"examination-{seed}", f"Examination {seed}", [*examination(seed)])):
        write_whole(folder / f"{name}.xml", quiz(kind, found))
        counts[name] = len(found)
    return counts


if __name__ == "__main__":
    with script():
        for name, count in write(Path(sys.argv[1]), int(sys.argv[2])).items():
            print(f"{name}.xml: {count} questions")
