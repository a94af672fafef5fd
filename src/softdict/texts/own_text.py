"""Text of one's own: sentence pairs from a file, cut into words and put together
again."""

import hashlib
import re
from pathlib import Path
from unicodedata import category, normalize

from softdict.texts.files import read_lines
from softdict.texts.wording import plural
from softdict.vocab import SPECIALS, UNK, Vocab

# signs that belong to the letter before them, and the joiners of Persian and Hindi
MARKS = "".join(chr(code) for code in range(0x10000)
                if category(chr(code)).startswith("M")) + "\u200c\u200d"
LETTERS = rf"[\w{MARKS}]+"
WORD = re.compile(rf"{LETTERS}(?:(?:['’-]|(?<=\d)[.,:](?=\d)){LETTERS})*"
                  rf"|[^\w\s][{MARKS}]*")
QUOTED = re.compile("([\"„“«]) ([^\"„“”«»]*) ([\"“”»])")
CLOSE = re.compile(r" (?=[.,;:!?…)\]])|(?<=[(\[¿¡]) ")    # no space on this side
LONGEST_LINE = 100_000    # characters: what is longer is no line of sentences


def as_read(text, lowercase):
    """A text as a model reads it: as it stands, or with `lowercase` in small letters.

    by str.lower, the same for all languages: ß stays, İ becomes an i and a dot above
    it, Σ at the end of a word becomes ς; as it looks beyond a letter, whole texts are
    lowered before they are cut
    """
    return text.lower() if lowercase else text


def split_words(text):
    """The words of a sentence, each sign apart; those inside don't and 2.5 stay."""
    return WORD.findall(normalize("NFC", text))


def join_words(words):
    """Words as a line of text, signs close to the words that they belong to."""
    return CLOSE.sub("", QUOTED.sub(r"\1\2\3", " ".join(words)))


def read_pairs(path, tokenize=split_words):
    """Pairs (source words, target words) of a UTF-8 file, a pair a line.

    tokenize(text) makes words of a text, or leaves it whole
    a tab stands between the sentences; further columns are not read, but a line with
    more of them than the first has a tab inside a sentence: it is left out
    returns the pairs, and the numbers of the lines that are left out
    raises ValueError, with file and line, for anything else
    """
    name, lines = Path(path).name, read_lines(path)
    pairs, left = [], []
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise ValueError(f"{name}, line {number}: {len(line)} characters; a line "
                             "is two sentences with a tab between them")
        sides = [tokenize(column) for column in line.split("\t")]
        if len(sides) < 2 or not all(sides[:2]):
            raise ValueError(f"{name}, line {number}: a line is two sentences with a "
                             f"tab between them, not {line[:40]!r}")
        if number > 1 and line.count("\t") > lines[0].count("\t"):
            left.append(number)
        else:
            pairs.append(tuple(sides[:2]))
    if not pairs:
        raise ValueError(f"{name} is empty; it must hold sentence pairs, one a line")
    return pairs, left


def own_texts(file, valid=None):
    """Pairs of whole sentences for training and for validation, and what to say of
    them; as `own_data`, before anything is cut.

    raises ValueError where nothing is left to train or to validate on
    """
    notes, read = [], []
    for path in [file, valid] if valid else [file]:
        pairs, left = read_pairs(path, str.strip)
        if left:
            notes.append(left_out(path, left))
        read.append(pairs)
    training, validation = read if valid else held_out(read[0])
    if not training:
        raise ValueError(one_source(file))
    return training, validation, notes + overlap_note(training, validation)


def left_out(path, lines):
    return (f"{Path(path).name}: {plural(len(lines), 'line')} left out, with a tab "
            f"inside a sentence (the first is {lines[0]})")


def one_source(path):
    return (f"{Path(path).name} has one source sentence only: nothing is left to "
            "validate on; add pairs, or name a file with --valid")


def overlap_note(training, validation):
    """A sentence in a list, if the validation has been seen in the training."""
    seen = {folded(source) for source, _ in training}
    shared = sum(folded(source) in seen for source, _ in validation)
    return ["validation pairs whose source sentence is in the training too: "
            f"{shared}; the validation loss flatters"] if shared else []


def held_out(pairs, share=20):
    """Pairs for training and for validation: of one in `share` source sentences, or of
    one at least.

    all pairs with one source sentence go to one side: what is validated was never seen
    """
    def digest(source):
        return hashlib.sha256(source.encode("utf-8")).digest()

    sources = sorted({folded(source) for source, _ in pairs}, key=digest)
    chosen = set(sources[:max(1, len(sources) // share)])
    sides = [], []
    for pair in pairs:
        sides[folded(pair[0]) in chosen].append(pair)
    return sides


def folded(sentence):
    """A sentence, words or text, as one text, the same in capitals and in small
    letters."""
    return (sentence if isinstance(sentence, str) else " ".join(sentence)).casefold()


def own_data(file, valid=None, max_length=40, min_count=2, lowercase=False):
    """Pairs for training and for validation from files, and what to say of them.

    without `valid`, a file, one source sentence in twenty is held out
    longer sentences are left out; words rarer than min_count become UNK; lowercase: see
    `as_read`
    returns training pairs, validation pairs, both vocabularies, and sentences
    raises ValueError where nothing is left to train or to validate on
    """
    read, notes = [], []
    for path in [file, valid] if valid else [file]:
        pairs, left = read_pairs(
            path, lambda text: split_words(as_read(text, lowercase)))
        short = [pair for pair in pairs if max(map(len, pair)) <= max_length]
        if not short:
            raise ValueError(f"{Path(path).name}: every pair has more than "
                             f"{max_length} words; a larger --max-length takes them in")
        if left:
            notes.append(left_out(path, left))
        if len(short) < len(pairs):
            notes.append(f"{Path(path).name}: {plural(len(pairs) - len(short), 'pair')}"
                         f" left out, with more than {max_length} words (--max-length)")
        read.append(short)
    training, validation = read if valid else held_out(read[0])
    if not training:
        raise ValueError(one_source(file))
    notes.append(f"{plural(len(training), 'pair')} for training, {len(validation)} for "
                 "validation")
    notes += overlap_note(training, validation)
    vocabs = [Vocab(side, min_count) for side in zip(*training)]
    for name, vocab, side in zip(("source", "target"), vocabs, zip(*training)):
        words = [word for sentence in side for word in sentence]
        rare = sum(word not in vocab for word in words)
        if len(vocab) == len(SPECIALS):
            raise ValueError(f"no {name} word stands {min_count} times in the "
                             "training; use more pairs, or --min-count 1")
        notes.append(f"{len(vocab) - len(SPECIALS)} {name} words; "
                     f"{rare / len(words):.1%} of the text is rarer than --min-count "
                     f"{min_count} and becomes {SPECIALS[UNK]}")
    return training, validation, *vocabs, notes
