"""Prose, links and citations: each check takes a `Book` and yields one sentence for
each thing that is wrong."""

import re

import links

BANNED = re.compile(r"\b(simply|just|obviously|note that|as we all know)\b",
                    re.IGNORECASE)
ALLOWED = re.compile(r"\bjust (as|above|below|before|after)\b", re.IGNORECASE)
SHORT = re.compile(r"\b(et al|e\.g|i\.e|vs|cf|Fig|Eq|Sec|St|Mr|Dr|[A-Z])\.")
WORDS = 25    # of a sentence, at most; CONTRIBUTING says so
BLANK = "·"    # stands for code and formulas, and counts as no word


def without_fences(text):
    return re.sub(r"^([ \t>]*)(`{3,}|~{3,}).*?^\1\2[ \t]*$", "", text,
                  flags=re.DOTALL | re.MULTILINE)


def paragraphs(text):
    """The prose of Markdown: no code, formulas, tables, HTML or addresses; headings and
    list items stand alone."""
    text = without_fences(re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL))
    text = re.sub(r"<!--.*?-->|\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"(`+)(?!`).*?\1|\$[^$\n]+\$", BLANK, text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)(\{[^}]*\})?", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"</?(summary|details|div|p|figure|figcaption)\b[^>]*>", "\n\n", text)
    text = re.sub(r"<[^>]+>|\{[\w:-]+\}(?=·)", "", text)
    text = re.sub(r"^[ \t>]+", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(\||:{3,}|:[\w-]+:|\([\w-]+\)=|---).*$", "\n", text,
                  flags=re.MULTILINE)
    text = re.sub(r"^(#+ .*)$", r"\n\1\n", text, flags=re.MULTILINE)
    text = re.sub(r"^([-*+]|\d+\.) ", r"\n", text, flags=re.MULTILINE)
    return [" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", text)
            if part.strip()]


def sentences(paragraph):
    text = SHORT.sub(r"\1", paragraph.replace("*", "").replace("_", " "))
    return re.split(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘(]*[A-Z0-9·½])|\s+(?=\([a-d]\) )",
                    text)


def notebooks_hold_no_directive(book):
    for where, cell in book.cells("markdown"):
        if re.search(r"^[ \t>]*(`{3,}\{|~{3,}\{|:{3,})", cell.source, re.MULTILINE):
            yield f"{where}: a directive shows as raw text outside the book"
        text = re.sub(r"(?<![`}])(`+)(?!`).*?\1", "", without_fences(cell.source))
        if role := re.search(r"\{[\w:+-]+\}`", text):
            yield f"{where}: the role {role[0][:-1]} shows as raw text outside the book"
        if re.search(r"^\([\w-]+\)=\s*$", text, re.MULTILINE):
            yield f"{where}: a label such as (here)= shows as raw text outside the book"


def prose_avoids_banned_words(book):
    for where, _, text in book.pages:
        for paragraph in paragraphs(text):
            if word := BANNED.search(ALLOWED.sub("", paragraph)):
                yield f"{where}: the word '{word[0]}' in '{paragraph[:60]}'"


def sentences_are_short(book):
    for where, _, text in book.pages:
        for paragraph in paragraphs(text):
            for sentence in sentences(paragraph):
                words = re.findall(r"[^\W\d_][\w'’.-]*", sentence)
                if len(words) > WORDS:
                    yield f"{where}: {len(words)} words in '{sentence}'"


def links_lead_to_files(book):
    for where, folder, text in book.pages:
        for target in re.findall(r"\]\(<?([^)\s>]+)>?[^)]*\)", without_fences(text)):
            file = target.partition("#")[0]
            if file and not re.match(r"\w+:", target) and not (folder / file).is_file():
                yield f"{where}: the link to {target} leads nowhere"


def citations_match_the_bibliography(book):
    """The author and year of a link such as [Vaswani et al. 2017](https://...)."""
    entries = list(links.bibliography(book.root))
    used = set()
    for where, _, page in book.pages:
        for words, address in links.CITATION.findall(without_fences(page)):
            if entry := links.cited(words, entries, address):
                used.add(entry.key)
            else:
                yield f"{where}: {words} is not in references.bib"
    for key in sorted({entry.key for entry in entries} - used):
        yield f"references.bib: no chapter or page cites {key}"


def terms_lead_both_ways(book):
    """A term of the glossary leads to the chapter that explains it, and back."""
    page = book.root / "book/glossary.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for entry in re.findall(r"^\S.*\n(?:\S.*\n)*  .*$",
                            text.partition("{glossary}\n")[2], re.MULTILINE):
        name = entry.partition("\n")[0]
        place = re.search(r"\[Chapter \d\d\]\(\.\./notebooks/(\S+)#\S+\)$", entry)
        anchor = re.sub(r"[^a-zA-Z0-9._]+", "-", name).strip("-")
        if not place or place[1] not in book.notebooks:
            yield f"glossary.md: {name} does not end on a link to its chapter"
        elif not any(f"glossary.html#term-{anchor})" in cell.source
                     for cell in book.notebooks[place[1]].cells):
            yield f"{place[1]}: no word leads to {name} in the glossary"


CHECKS = [
    notebooks_hold_no_directive, prose_avoids_banned_words, sentences_are_short,
    links_lead_to_files, citations_match_the_bibliography, terms_lead_both_ways]
