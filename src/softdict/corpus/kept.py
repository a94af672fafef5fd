"""Splits that were made once are kept on disk: drawing the largest takes 20 seconds.

A file is named after the sources of the corpus: it is never read by another version.
"""

import hashlib
import json
from contextlib import suppress
from functools import cache
from importlib import resources

from softdict.corpus.pairs import Pair, Token
from softdict.texts.files import cache_folder, write_whole


@cache
def version():
    """A short text that changes with every source file of the corpus."""
    total = hashlib.sha256()
    for file in sorted(resources.files("softdict.corpus").iterdir(),
                       key=lambda file: file.name):
        if file.name.endswith(".py"):
            total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:16]


def kept(name, seed, make, pack, unpack):
    """What make() gives, from its file if there is one; else it is made and written.

    a file that is damaged or of another origin is made again; a folder that cannot be
    written to is no error: the next call makes it again
    """
    file = f"corpus-{version()}/{name}.{seed}.json"
    with suppress(OSError, RuntimeError):    # RuntimeError: there is no home
        digest, _, text = (cache_folder() / file).read_bytes().partition(b"\n")
        if digest == checksum(text):
            return unpack(json.loads(text))
    made = make()
    text = json.dumps(pack(made), ensure_ascii=False, separators=(",", ":")).encode()
    with suppress(OSError, RuntimeError):
        path = cache_folder() / file
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, checksum(text) + b"\n" + text)
    return made


def checksum(text):
    """The first line of a kept file: it tells whether the rest is what was written."""
    return hashlib.sha256(text).hexdigest().encode()


def packed(pairs):
    """Pairs as lists of numbers and texts; what tokens share stands in a table."""
    table = {}

    def side(tokens):
        return [part for token in tokens
                for part in (table.setdefault(shared(token), len(table)), token.node,
                             token.head)]

    rows = [[side(pair.source), side(pair.target), pair.sure, pair.possible, pair.kind,
             pair.depth, pair.register, pair.spot] for pair in pairs]
    return {"tokens": list(table), "pairs": rows}


def unpacked(content):
    """The pairs of what `packed` made."""
    table = [tuple(entry) for entry in content["tokens"]]

    def side(numbers):
        tokens = []
        for entry, node, head in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            form, role, lemma, gloss, pos, relation = table[entry]
            tokens.append(Token(form, node, role, lemma, gloss, pos, head, relation))
        return tuple(tokens)

    def links(rows):
        return tuple(map(tuple, rows))

    return [Pair(side(source), side(target), links(sure), links(possible), *rest)
            for source, target, sure, possible, *rest in content["pairs"]]


def shared(token):
    """What a token has in common with others of its word."""
    return (token.form, token.role, token.lemma, token.gloss, token.pos, token.relation)
