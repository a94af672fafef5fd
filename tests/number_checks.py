"""Numbers: what a sentence says of an output must be bound to it.

A number beside an output that no test compares is bound if an assert, a parameter or
the drawing code around it holds the same number, or a compared output of its section.
Machines and seeds differ: a number that only a live run printed is wrong on most pages.

A bound ("more than 40", "nearly half") is no result: who reads it beside an output
looks for the 40 there. It stays in the assert; the cell prints its number, and the
sentence says what to look at. A stored result is told by its number.
"""

import ast
import math
import re

import notebooks as files
import prose_checks

ASIDE = {"exercise-text", "exercise", "exercise-check", "hint", "answer"}
UNITS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen "
         "fourteen fifteen sixteen seventeen eighteen nineteen").split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {**{word: number for number, word in enumerate(UNITS)},
         **{word: 10 * number for number, word in enumerate(TENS, start=2)},
         "half": 0.5, "twice": 2, "hundred": 100, "thousand": 1000}
# a number in words counts before these: "two thirds", "nine of ten", "three minutes"
MEASURES = (r"(?:minutes?|seconds?|per ?cent|points?|times|errors?|mistakes?|fifths?|"
            r"thirds?|quarters?|tenths?|in (?:a|one|ten|a hundred|100|every)|"
            r"of (?:ten|a hundred|100)|out of)")
DIGITS = r"\d+(?:[,_]\d{3})*(?:\.\d+)?|\.\d+"
SAID = re.compile(rf"(?<![\w.,])(?P<digits>{DIGITS})(?!\w)|"
                  r"(?<!every )(?<!each )(?<!any )(?<!no )"
                  rf"\b(?P<word>{'|'.join(WORDS)})\b"
                  rf"(?=[\s-]+(?:\w+ ){{0,2}}{MEASURES}\b)",
                  re.IGNORECASE)
# what is no result: places in the book and elsewhere, names, years, versions
PLACES = re.compile(
    r"95 ?% interval|[Cc]hapters? \d\d(?:(?:,? and |, | to | or )\d\d)*|"
    r"\b\d\d-\d\b|\b(?:19|20)\d\d\b|"
    r"(?:[Ss]ections?|[Tt]ables?|[Ff]igures?|[Ee]quations?|[Aa]ppendix|[Pp]ages?|§|"
    r"[Hh]eads?|[Ss]teps?|[Vv]ersions?|[Pp]ositions?|[Ww]ords?|[Rr]ows?|[Cc]olumns?|"
    r"[Ll]ayers?|[Ss]eeds?|[Ww]idths?) "
    r"\d[\d.]*(?:(?: and | to |, | or )\d[\d.]*)*")
# Sentences that keep a number which nothing around them holds, each with its reason
EXCEPTIONS = {}    # "04_seq2seq.ipynb, cell bleu-intro": "why"

SHARES = (r"half|twice|(?:a|one|two|three|four|nine) "
          r"(?:third|quarter|fifth|tenth|dozen)s?")
BOUND = re.compile(
    r"\b(?:(?:\w+er|more|less|worse) than|at (?:least|most)|under|over|below|above|"
    rf"(?<!add )(?<!adds )up to|nearly|almost|within|beyond) (?P<number>(?:{DIGITS})"
    rf"(?!\w|\.\w)|(?:{SHARES}|{'|'.join(WORDS)})\b)", re.IGNORECASE)
# "a mean over five seeds" bounds nothing; over half of them do
ACROSS = re.compile(rf"over (?:{'|'.join(UNITS + TENS)})\b", re.IGNORECASE)
# Bounds that are no results: definitions, parameters, the literature
MEANT = {
    "11_masking.ipynb, cell nowhere-read": "versions of PyTorch",
    "12_positions.ipynb, cell hook-task": "ten words is what it is trained on",
    "12_positions.ipynb, cell nope-read": "ten words is what it is trained on",
    "17_search.ipynb, cell many-read": "Stahlberg and Byrne 2019: more than half",
    "17_search.ipynb, cell small-read": "three words is what the cell allows",
    "16_evidence.ipynb, cell paper-read": "Post 2018: up to 1.8 points of BLEU",
    "16_evidence.ipynb, cell further": "24 words is the longest training sentence",
    "C1_attention.ipynb, cell train": "ten words is what the next cell keeps",
}


def plain(text):
    """The prose up to the first heading: no code, formula, quotation, table, address;
    no equation of numbers that is true."""
    text = re.split(r"^#", text, flags=re.MULTILINE)[0]
    text = re.sub(r"<details>.*?</details>|<!--.*?-->|^```.*?^```$|\$\$.*?\$\$|"
                  r"\$[^$\n]*\$|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?:>|\|).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return true_equations(PLACES.sub("", text))


def true_equations(text):
    """The text without equations such as 5/8 + 1/8 = 0.75, if they hold as rounded."""
    side = r"[\d.(][\d.,()/·^+×−* -]*"
    return re.sub(rf"{side}(?:= {side})+", lambda match: "" if holds(match[0])
                  else match[0], text)


def holds(equation):
    values = []
    for part in equation.rstrip(" .,-").split("="):
        part = re.sub(r"(?<=\d),(?=\d{3})", "", part.strip().rstrip(".,"))
        for sign, python in [("·", "*"), ("×", "*"), ("−", "-"), ("^", "**")]:
            part = part.replace(sign, python)
        digits = len(part.partition(".")[2]) if re.fullmatch(r"[\d.]+", part) else 9
        try:
            values.append((eval(part, {"__builtins__": {}}), digits))
        except (SyntaxError, TypeError, ZeroDivisionError):
            return False
    digits = min(digits for _, digits in values)
    return all(math.isclose(value, values[0][0], abs_tol=0.51 * 10 ** -digits)
               for value, _ in values)


def numbers(text):
    """Every number in digits, as itself, as per cent and as a share."""
    found = {float(re.sub("[,_]", "", part)) for part in re.findall(DIGITS, text)}
    return {round(number * scale, 9) for number in found for scale in (1, 100, 0.01)}


def is_live(cell):
    """Whether the cell shows an output that no test compares."""
    if files.CLAIM in files.tags(cell):
        return False
    if "figure" in cell.metadata.get("mystnb", {}):
        return True
    body = files.parse(cell.source).body
    return "print(" in cell.source or bool(body) and isinstance(body[-1], ast.Expr)


def claimed(cell):
    """Numbers in the outputs that a test compares."""
    if cell.cell_type != "code" or files.CLAIM not in files.tags(cell):
        return set()
    return numbers(" ".join(
        output.get("text", output.get("data", {}).get("text/plain", ""))
        for output in cell.outputs))


def code_beside(cells, place):
    """The code cells just before a Markdown cell, and those just after it."""
    before, after = place, place + 1
    while before and cells[before - 1].cell_type == "code":
        before -= 1
    while after < len(cells) and cells[after].cell_type == "code":
        after += 1
    return cells[before:place], cells[place + 1:after]


def unbound(cells):
    """Id, number and surroundings of each number that nothing binds."""
    section = set()
    for place, cell in enumerate(cells):
        section |= claimed(cell)
        if cell.cell_type != "markdown":
            continue
        before, after = code_beside(cells, place)
        asserted = section | numbers(" ".join(
            part.source for part in before + after if "assert" in part.source))
        held = asserted | numbers(" ".join(part.source for part in before + after))
        if re.search("^## ", cell.source, re.MULTILINE):
            section = set()
        if not any(map(is_live, before)):
            continue
        text = plain(cell.source)
        for match in SAID.finditer(text):
            digits, word = match["digits"], match["word"]
            number = (float(digits.replace(",", "")) if digits
                      else WORDS[word.lower()])
            if round(number, 9) not in (held if digits else asserted):
                around = text[max(0, match.start() - 30):match.end() + 30]
                yield cell.id, match[0], " ".join(around.split())


def numbers_are_bound(book):
    kept = set()
    for name, notebook in book.notebooks.items():
        cells = [cell for cell in notebook.cells if not ASIDE & set(files.tags(cell))]
        for id, number, around in unbound(cells):
            where = f"{name}, cell {id}"
            kept.add(where)
            if where not in EXCEPTIONS:
                yield (f"{where}: nothing binds the number {number} in '... {around} "
                       "...': say what an assert holds, or let the cell print it")
    for where in sorted(set(EXCEPTIONS) - kept):
        yield f"number_checks.py: {where} needs no exception"
    if len(EXCEPTIONS) > 20:
        yield f"number_checks.py: {len(EXCEPTIONS)} exceptions; at most 20 are meant"


def shows(cell):
    return is_live(cell) or files.CLAIM in files.tags(cell)


def parameters(cells):
    """The numbers that code sets: those outside of its asserts."""
    found = set()
    for cell in cells:
        tree = files.parse(cell.source)
        tree.body = [part for part in tree.body if not isinstance(part, ast.Assert)]
        found |= {float(node.value) for node in ast.walk(tree)
                  if isinstance(node, ast.Constant) and type(node.value) in (int, float)
                  and node.value not in range(10)}
    return found


def bounded(text):
    """Sentences with a bound, the bound in words, and its number if it has one."""
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    for paragraph in prose_checks.paragraphs(re.sub(r"^>.*$", "", text,
                                                    flags=re.MULTILINE)):
        for sentence in prose_checks.sentences(PLACES.sub("", paragraph)):
            for match in BOUND.finditer(sentence):
                said = match["number"]
                number = (float(re.sub("[,_]", "", said)) if said[-1].isdigit()
                          else None if re.fullmatch(SHARES, said, re.IGNORECASE)
                          else WORDS[said.lower()])
                if number not in (0, 1) and not ACROSS.match(match[0]):
                    yield sentence, match[0], number


def bounds(cells):
    """Id, bound and sentence of each bound beside an output that does not print it.

    what a Predict offers may be said again where it is answered
    """
    section, offered = set(), "\n".join(line for cell in cells for line in
                                        cell.source.split("\n") if line.startswith(">"))
    for place, cell in enumerate(cells):
        section |= claimed(cell)
        if cell.cell_type != "markdown":
            continue
        beside = [part for side in code_beside(cells, place) for part in side]
        printed = section.union(*map(claimed, beside))
        if re.search("^## ", cell.source, re.MULTILINE):
            section = set()
        if not any(map(shows, beside)):
            continue
        for sentence, bound, number in bounded(cell.source):
            held = printed | (parameters(beside) if bound[-1].isdigit() else set())
            said = number is not None and round(number, 9) in held
            if not said and bound not in offered:
                yield cell.id, bound, sentence


def prose_states_no_bound(book):
    found = set()
    for name, notebook in book.notebooks.items():
        cells = [cell for cell in notebook.cells if not ASIDE & set(files.tags(cell))]
        for id, bound, sentence in bounds(cells):
            where = f"{name}, cell {id}"
            found.add(where)
            if where not in MEANT:
                yield (f"{where}: '{bound}' is a bound, in '{sentence}': let the cell "
                       "print its number, or tell the stored one")
    for where in MEANT:
        if where not in found and where.partition(",")[0] in book.notebooks:
            yield f"number_checks.py: {where} states no bound now: take it off the list"
    if len(MEANT) > 20:
        yield f"number_checks.py: {len(MEANT)} bounds are meant; at most 20 should be"


CHECKS = [numbers_are_bound, prose_states_no_bound]
