"""What the answers of *Asked by learners* are computed with, part by part.

`tests/asked/PART.py` holds, for each answer of `book/asked/PART.md` with a number, a
function that computes it anew; `tests/asked/PART.tsv` says who asked.
"""

import re
from pathlib import Path
from typing import NamedTuple

import prose_checks
from docutils.nodes import make_id

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "book/asked"
COMPUTED = {}    # (part, anchor): what gives the numbers that its answer must hold
FENCE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CITATION = re.compile(r"\[[^\]\[]+ \d{4}\]\(http[^)]*\)(?:,? (?:sections?|appendix|"
                      r"table|figure|footnote) [A-Z]?[\d.]*\d)?")
NUMBER = re.compile(r"(?<![\w.])(?<![A-Za-z]-)(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)")


def computed(anchor):
    """Decorates a function of tests/asked/PART.py: it returns strings that the answer
    must hold, and they must have all its numbers."""
    def keep(work):
        COMPUTED[Path(work.__code__.co_filename).stem, anchor] = work
        return work
    return keep


class Answer(NamedTuple):
    part: str
    heading: str
    text: str    # Markdown, without the heading

    @property
    def anchor(self):
        return make_id(re.sub(r"[`*]", "", self.heading))

    @property
    def blocks(self):
        return FENCE.findall(self.text)

    @property
    def sentences(self):
        paragraphs = prose_checks.paragraphs(self.text)
        return [sentence for paragraph in paragraphs
                for sentence in prose_checks.sentences(paragraph)]

    @property
    def numbers(self):
        """Those that its prose tells: not those of code, citations and links."""
        text = CITATION.sub("", prose_checks.without_fences(self.text))
        text = re.sub(r"`[^`]*`|\]\([^)]*\)|\b[Cc]hapter \d\d\b", "", text)
        return NUMBER.findall(text.replace("−", "-"))


def answers(page):
    """All answers of a page of Markdown, in their order."""
    text = page.read_text(encoding="utf-8")
    found = re.split(r"^### (.*)\n", text, flags=re.MULTILINE)[1:]
    return [Answer(page.stem, heading, re.split(r"^## ", rest, flags=re.MULTILINE)[0])
            for heading, rest in zip(found[::2], found[1::2])]


def asked(part):
    """Rows of tests/asked/PART.tsv: question in our words, the asker's words, source,
    corner, and what kind of question it is."""
    text = (ROOT / f"tests/asked/{part}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()
            if line and not line.startswith("#")]
