"""A text of any size: scanned once, cut into pieces, read window by window."""

import codecs
import hashlib
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models

from softdict.subwords import BYTES

BLOCK = 2 ** 22     # bytes that are read at once
SAMPLE = 2 ** 23    # bytes, at most, that pieces are learned from
CHARACTERS = 5000   # at most; what is rarer is written as bytes
NONE = -100         # where there is no next word; as in F.cross_entropy


def scan(path):
    """How often each character stands in a UTF-8 text of any size, where the text
    begins and ends in the file, and its digest.

    returns counts by code point, (first byte, last byte) and a short text
    raises ValueError, with one sentence, for what is no text
    """
    path, counts = Path(path), np.zeros(0x110000, dtype=np.int64)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a folder or a device; a text file is needed")
    decoder, digest = codecs.getincrementaldecoder("utf-8")(), hashlib.sha256()
    line, begin, size = 1, 0, 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            if not size and block.startswith(codecs.BOM_UTF8):
                begin, block = 3, block[3:]
                size = 3
            try:
                text = decoder.decode(block)
            except UnicodeDecodeError as error:
                line += error.object[:error.start].count(b"\n")
                raise ValueError(f"{path.name}, line {line}: this is not UTF-8; save "
                                 "the file as UTF-8") from None
            if "\0" in text:
                line += text[:text.index("\0")].count("\n")
                raise ValueError(f"{path.name}, line {line}: a zero byte; this is no "
                                 "text")
            line += text.count("\n")
            size += len(block)
            digest.update(block)
            codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
            counts += np.bincount(codes, minlength=len(counts))
    if decoder.getstate()[0]:
        raise ValueError(f"{path.name}, line {line}: the text ends inside a character; "
                         "it is cut short, or not UTF-8")
    return counts, (begin, size), digest.hexdigest()[:16]


def characters(counts):
    """A tokenizer whose pieces are the characters that stand in a text twice or more;
    any other is written as its bytes."""
    common = np.argsort(-counts, kind="stable")[:CHARACTERS]
    pieces = [chr(code) for code in common if counts[code] > 1]
    tokenizer = Tokenizer(models.BPE(
        {piece: number for number, piece in enumerate([*pieces, *BYTES])}, [],
        byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def parts_of(path, begin, end):
    """Texts of at most 10,000 characters, from the whole file or from places evenly
    spread over it."""
    count = 64 if end - begin > SAMPLE else 1
    with open(path, "rb") as file:
        for number in range(count):
            start = begin + (end - begin) * number // count
            text = read(file, start, min(end, start + SAMPLE // count))
            yield from (text[at:at + 10_000] for at in range(0, len(text), 10_000))


def read(file, start, end):
    """The text between two bytes of a file; a character that is cut is left out."""
    file.seek(start)
    return file.read(end - start).decode("utf-8", "ignore")


def windows(file, tokenizer, starts, end, length):
    """Pieces of a text from each of the places, and the piece behind each of them.

    returns ids [B, T] and targets [B, T], where NONE has no piece
    """
    # a character has at most four bytes, a piece seldom more than eight
    texts = [read(file, start, min(end, start + 8 * (length + 1))) for start in starts]
    ids = torch.zeros(len(texts), length, dtype=torch.long)    # [B, T]
    targets = torch.full_like(ids, NONE)                       # [B, T]
    for row, cut in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        known = torch.tensor(cut.ids[:length + 1], dtype=torch.long)
        last = max(0, len(known) - 1)
        ids[row, :last], targets[row, :last] = known[:last], known[1:]
    return ids, targets
