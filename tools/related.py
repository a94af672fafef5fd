"""Which answers of *Asked by learners* are near each other, and the links between them.

Two answers are as near as the cosine of their words, each weighted by how rare it is
over all answers (TF-IDF; Salton and Buckley 1988): the words of a heading three times,
those of its askers twice.
"""

import math
import re
from collections import Counter, defaultdict
from html import escape
from posixpath import relpath

PAGES = "book/asked/"
WEIGHTS = (3, 1, 0.3, 2)    # heading, prose, code, the words of its askers
MOST, LEAST = 4, 0.18    # links of an answer, and the cosine that one needs
ANSWER = re.compile(r'(<section id="([^"]+)">\n<h3>.*?)(</section>)', re.DOTALL)


def stems(text):
    """The words of a text as one of their forms: masks and masked are mask."""
    for word in re.findall(r"[^\W\d_]\w*|\d+", text.lower()):
        short = re.sub(r"(?<!s)s$|(?:ie|y)$", "", word) if len(word) > 3 else word
        yield re.sub(r"(?:ing|ed|e)$", "", short) if len(word) > 5 else short


def related(answers):
    """For each answer the numbers of its nearest others, the nearest first.

    answers: of each one its heading, prose, code and the words of its askers
    """
    counts = []
    for parts in answers:
        count = Counter()
        for weight, part in zip(WEIGHTS, parts):
            for word in stems(part):
                count[word] += weight
        counts.append(count)
    holding = Counter(word for count in counts for word in count)
    vectors, where = [], defaultdict(list)
    for number, count in enumerate(counts):
        vector = {word: math.log1p(times) * math.log(len(counts) / holding[word])
                  for word, times in count.items()}
        length = math.hypot(*vector.values()) or 1
        vectors.append({word: value / length for word, value in vector.items()})
        for word, value in vectors[-1].items():
            where[word].append((number, value))
    for number, vector in enumerate(vectors):
        cosines = Counter()
        for word, value in vector.items():
            for other, its in where[word]:
                cosines[other] += value * its
        del cosines[number]
        yield [other for other, cosine in cosines.most_common(MOST) if cosine > LEAST]


def link_answers(folder, found):
    """Writes the links below each answer of a built site.

    found: what search.py knows of its pages and sections
    """
    names = [name for name, _ in found["pages"]]
    rows = [row for row in found["sections"]    # an answer has its askers' words
            if names[row[0]].startswith(PAGES) and len(row) == 2 + len(WEIGHTS)]
    links = {}
    for row, others in zip(rows, related([row[2:] for row in rows])):
        links[names[row[0]], row[1]] = [(names[rows[other][0]], *rows[other][1:3])
                                        for other in others]

    def told(name, part):
        near = " · ".join(
            f'<a href="{relpath(page, PAGES)}#{anchor}">{escape(heading)}</a>'
            for page, anchor, heading in links.get((name, part[2]), ()))
        return (f'{part[1]}<p class="related">Related: {near}</p>\n{part[3]}' if near
                else part[0])

    for name in {name for name, _ in links}:
        text = (folder / name).read_text("utf-8")
        text = ANSWER.sub(lambda part: told(name, part), text)
        (folder / name).write_text(text, "utf-8")
