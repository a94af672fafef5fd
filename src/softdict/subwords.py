"""Pieces of words: byte-pair encoding, made and used with the library `tokenizers`.

A blank belongs to the piece after it, so the pieces in a row are the text. A character
that no piece has is written as its bytes in UTF-8: nothing is unknown, nothing is lost.
Sennrich et al. 2016, section 3.2
"""

import codecs
import json
import re
from itertools import takewhile
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from softdict.texts.files import read_lines, write_whole
from softdict.texts.own_text import as_read
from softdict.texts.wording import plural
from softdict.vocab import Vocab

SUBWORDS, MOST = 6000, 10 ** 6    # the usual number; the library makes room for all
# merges stay inside of these: a word, a digit or signs, each with the blank before it
CHUNKS = r" ?[\p{L}\p{M}]+| ?\p{N}| ?[^\s\p{L}\p{M}\p{N}]+|\s"
BYTES = [f"<0x{number:02X}>" for number in range(256)]


class SubwordTokenizer:
    """Cuts text into pieces and puts pieces together."""

    def __init__(self, pieces, merges):
        """All pieces in their order, the bytes last; the pairs to merge in theirs."""
        numbers = {piece: number for number, piece in enumerate(pieces)}
        self.tokenizer = Tokenizer(
            models.BPE(numbers, list(map(tuple, merges)), byte_fallback=True))
        self.tokenizer.pre_tokenizer = chunks()
        self.tokenizer.decoder = decoders.Sequence(
            [decoders.ByteFallback(), decoders.Fuse()])

    def tokenize(self, text):
        """The pieces of a text: a list of strings."""
        return self.tokenizer.encode(f" {text}").tokens

    def join(self, pieces):
        """The text of pieces, a list of strings."""
        return self.tokenizer.decoder.decode(list(pieces)).removeprefix(" ")

    def vocab(self):
        """Every piece that there is, numbered: characters, then pieces in the order in
        which they were made, then the 256 bytes."""
        numbers = self.tokenizer.get_vocab()
        return Vocab.of(sorted(numbers, key=numbers.get))

    def save(self, path):
        """Writes them as `tokenizers` does: a JSON file, whole or not at all."""
        write_whole(path, self.tokenizer.to_str(pretty=True).encode("utf-8"))


def chunks():
    """What cuts a text into parts that no piece goes beyond."""
    return pre_tokenizers.Split(Regex(CHUNKS), "isolated")


class TextStream:
    """Text of ids that come one by one: each part as soon as no later id can change it.

    the parts and the `rest` are the text of all ids, without the text of the first ids
    """

    def __init__(self, tokenizer, ids):
        """A Tokenizer of the library, and the ids of the text that is there already."""
        self.tokenizer, self.ids = tokenizer, list(ids)
        self.given = len(tokenizer.decode(self.ids))    # characters
        self.special = {number for number, token
                        in tokenizer.get_added_tokens_decoder().items()
                        if token.special}

    def add(self, number):
        """Takes the next id; returns what is sure now, perhaps an empty text."""
        self.ids.append(number)
        text = self.tokenizer.decode(self.ids[:len(self.ids) - self.unsure()])
        # this sign may stand for the first bytes of a character
        return self.behind(text.removesuffix("\N{REPLACEMENT CHARACTER}"))

    def rest(self):
        """The part of the text that was not sure, when no more ids come."""
        return self.behind(self.tokenizer.decode(self.ids))

    def behind(self, text):
        """The part of a text that has not been given out yet."""
        part = text[self.given:]
        self.given += len(part)
        return part

    def unsure(self):
        """How many of the last ids are single bytes that still may become characters.

        one wrong byte among bytes in a row makes each of them a sign of replacement
        """
        tokens = list(takewhile(is_byte, map(self.token, reversed(self.ids))))
        known = bytes(int(token[3:5], 16) for token in reversed(tokens) if token)
        try:
            codecs.getincrementaldecoder("utf-8")().decode(known)
        except UnicodeDecodeError:
            return 0
        return len(tokens)

    def token(self, number):
        """The piece with this id; None for one that no text shows."""
        return None if number in self.special else self.tokenizer.id_to_token(number)


def is_byte(token):
    """Whether a piece is a single byte, or None."""
    return token is None or re.fullmatch("<0x[0-9A-Fa-f]{2}>", token)


def train_subwords(sentences, size=SUBWORDS):
    """Pieces that byte-pair encoding makes of sentences, `size` at most, and 256 bytes.

    it begins with characters, and joins the pair seen most often to one piece, again
    and again; a pair seen once is not joined
    raises ValueError for a size below the number of characters, or above a million
    """
    if size > MOST:
        raise ValueError(f"{size} pieces are too many; {MOST} is the most")
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = chunks()
    learned.train_from_iterator(
        (f" {sentence}" for sentence in sentences),
        trainers.BpeTrainer(vocab_size=size, min_frequency=2, show_progress=False))
    model = json.loads(learned.to_str())["model"]
    if len(model["vocab"]) > size:
        raise ValueError(f"{size} pieces are too few: the training has "
                         f"{len(model['vocab'])} characters, and each is a piece")
    return SubwordTokenizer([*model["vocab"], *BYTES], model["merges"])


def load_subwords(path):
    """The pieces of a file that `save` wrote: of all that stands there, what is read
    are the pieces and the merges.

    raises ValueError, with one sentence, for another file
    """
    name = Path(path).name
    try:
        content = json.loads("\n".join(read_lines(path)))
    except (ValueError, RecursionError):
        raise ValueError(f"{name} is damaged: it is no JSON in UTF-8") from None
    try:
        numbers, merges = content["model"]["vocab"], content["model"]["merges"]
        pieces = sorted(numbers, key=numbers.get)
        # the library takes merges that lack, and numbers that are there twice
        whole = (pieces[-len(BYTES):] == BYTES
                 and list(map(numbers.get, pieces)) == list(range(len(pieces)))
                 and {piece for piece in pieces[:-len(BYTES)] if len(piece) != 1}
                 == set(map("".join, merges)))
        found = SubwordTokenizer(pieces, merges) if whole else None
    except Exception:    # the library raises nothing narrower
        found = None
    if not found:
        raise ValueError(f"{name} is not what train writes: its pieces and merges do "
                         "not fit together")
    return found


def subword_data(training, validation, size=SUBWORDS, max_length=100, lowercase=False):
    """Pairs of texts as pairs of pieces, learned from both sides of the training.

    longer sentences are left out; lowercase: see `own_text.as_read`
    returns what `own_text.own_data` does, and the SubwordTokenizer
    raises ValueError where nothing is left to train or to validate on
    """
    training, validation = (
        [[as_read(text, lowercase) for text in pair] for pair in side]
        for side in (training, validation))
    pieces = train_subwords([text for pair in training for text in pair], size)
    parts, notes = [], []
    for name, texts in (("training", training), ("validation", validation)):
        pairs = [tuple(map(pieces.tokenize, pair)) for pair in texts]
        short = [pair for pair in pairs if max(map(len, pair)) <= max_length]
        if not short:
            raise ValueError(f"every pair for {name} has more than {max_length} "
                             "pieces; a larger --max-length takes them in")
        if left := len(pairs) - len(short):
            notes.append(f"{plural(left, 'pair')} for {name} left out, with more than "
                         f"{max_length} pieces (--max-length)")
        parts.append(short)
    vocab = pieces.vocab()
    notes += [f"{plural(len(parts[0]), 'pair')} for training, {len(parts[1])} for "
              "validation", f"{len(vocab)} pieces, the same for both languages"]
    return (*parts, vocab, vocab, notes), pieces
