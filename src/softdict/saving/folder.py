"""A trained model as a folder: weights, config, both vocabularies, and its history.

    config.json          format, model, its options, what its text is, its settings
    weights.safetensors  the weights
    source.txt           the words of each vocabulary, one a line, without the specials
    target.txt
    pieces.json          in their place, where the words are pieces of words
    history.jsonl        a record an update: loss, gradient norm, rate, validation loss
    curves.svg           a picture of them
    run.toml             the flags that repeat its training
"""

import io
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from torch import nn

from softdict.decoding import translate
from softdict.saving.checkpoint import load_model, save_model
from softdict.saving.recipes import RECIPES, share_encoder_decoder_embeddings
from softdict.subwords import SubwordTokenizer, load_subwords
from softdict.texts.files import read_lines, write_whole
from softdict.texts.own_text import as_read, join_words, split_words
from softdict.texts.wording import short
from softdict.vocab import SPECIALS, UNK, Vocab

FORMAT = 2    # 2 brought lowercase; an earlier one is read, too
CONFIG, WEIGHTS, PIECES, HISTORY, CURVES = (
    "config.json", "weights.safetensors", "pieces.json", "history.jsonl", "curves.svg")
WORDS = "source.txt", "target.txt"
UNFINISHED = "unfinished.safetensors"    # a training under way
TEXTS = "corpus", "plain"
# option: kind of number, smallest, largest; a mistyped one must not fill the memory
OPTIONS = {"width": (int, 1, 8192), "embedding_width": (int, 1, 8192),
           "heads": (int, 1, 256), "layers": (int, 1, 64), "hidden": (int, 1, 32768),
           "dropout": (float, 0.0, 0.9)}


@dataclass(frozen=True)
class FolderConfig:
    """What a folder says of its model. A field with a default may lack in a file.

    raises ValueError, with one sentence, for what this version cannot build
    """

    model: str                      # a name in RECIPES
    options: dict = field(default_factory=dict)    # what its recipe is told
    text: str = "plain"             # "corpus": the book's English and Korean
    max_source_length: int = 0      # words in the longest sentence of its training
    settings: dict = field(default_factory=dict)   # of its training
    kind: str = "encoder-decoder"
    vocabulary: str = "words"       # or "pieces", the same of both languages
    lowercase: bool = False         # all that it reads and writes is in small letters

    @classmethod
    def of(cls, content):
        """The FolderConfig that the content of config.json, a dict, tells of.

        a field that lacks has its default
        raises ValueError, with one sentence, for a newer format, a field that this
        version does not know, or one that must be there
        """
        if not isinstance(content, dict) or "format" not in content:
            raise ValueError("train did not write it: it names no format")
        content = dict(content)
        number = content.pop("format")
        if type(number) is not int or number < 1:
            raise ValueError(f"train did not write it: format is {short(number)}")
        if number > FORMAT:
            raise ValueError("written by a newer version of softdict: its format is "
                             f"{short(number)}, and this version reads up to {FORMAT}")
        names = {part.name for part in fields(cls)}
        if unknown := [name for name in content if name not in names]:
            raise ValueError(f"this version of softdict knows no field "
                             f"{short(unknown[0])}")
        if "model" not in content:
            raise ValueError("train did not write it: it names no model")
        return cls(**content)

    def __post_init__(self):
        for name, known in (("kind", ("encoder-decoder",)),
                            ("vocabulary", ("words", "pieces")), ("text", TEXTS),
                            ("model", tuple(RECIPES))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {short(getattr(self, name))}; this "
                                 f"version knows {', '.join(map(str, known))}")
        if not is_number(self.max_source_length, int, 0, 10 ** 9):
            raise ValueError("max_source_length must be a number of words, not "
                             f"{short(self.max_source_length)}")
        if type(self.lowercase) is not bool:
            raise ValueError("lowercase must be true or false, not "
                             f"{short(self.lowercase)}")
        if self.lowercase and self.text == "corpus":
            raise ValueError("lowercase is for text of one's own: the book's corpus "
                             "has capitals in names alone")
        if not isinstance(self.options, dict):
            raise ValueError("options must be names with values, not "
                             f"{short(self.options)}")
        for name, value in self.options.items():
            if name not in OPTIONS:
                raise ValueError(f"there is no option {short(name)}; the options are "
                                 f"{', '.join(OPTIONS)}")
            kind, least, most = OPTIONS[name]
            if not is_number(value, kind, least, most):
                raise ValueError(f"{name} must be a number from {least} to {most}, "
                                 f"not {short(value)}")

    def build(self, source_words, target_words):
        """The untrained model for vocabularies of these sizes.

        where words are pieces, both languages have one table
        raises ValueError for options that the model does not have
        """
        try:
            model = RECIPES[self.model].build(source_words, target_words,
                                              **self.options)
        except TypeError:
            raise ValueError(f"the model {self.model} has not all of the options "
                             f"{', '.join(self.options)}") from None
        if self.vocabulary == "pieces":
            share_encoder_decoder_embeddings(model)
        return model


def is_number(value, kind, least, most):
    """True for a number of this kind within these limits; True and False are none."""
    return type(value) in (int, kind) and least <= value <= most


@dataclass(frozen=True)
class Saved:
    """A trained model with its two vocabularies, its config, and what cuts its text."""

    model: nn.Module
    source_vocab: Vocab
    target_vocab: Vocab
    config: FolderConfig
    pieces: SubwordTokenizer | None = None

    def tokenize(self, text):
        """The words of a text, or its pieces, as the model reads them, in small letters
        if it was trained on such; none of blanks alone."""
        text = as_read(text, self.config.lowercase)
        if self.pieces is None:
            return split_words(text)
        return self.pieces.tokenize(text) if text.strip() else []

    def join(self, words):
        """Words or pieces as a line of text."""
        return join_words(words) if self.pieces is None else self.pieces.join(words)

    def known(self, words):
        """The words as the vocabulary spells them, small or capital; else UNK."""
        return [next((form for form in (word, word.lower(), word.capitalize())
                      if form in self.source_vocab), SPECIALS[UNK]) for word in words]

    def unknown(self, words):
        """Those of the words that the model does not know, each once."""
        return [word for word, form in dict(zip(words, self.known(words))).items()
                if form == SPECIALS[UNK]]

    def translate(self, words):
        """The words of a translation; those of `words` that are not known are UNK."""
        return translate(self.model, self.known(words), self.source_vocab,
                         self.target_vocab)


def fingerprint(source_vocab, target_vocab):
    """A text that two pairs of vocabularies share only if they are the same."""
    return f"{source_vocab.fingerprint()} {target_vocab.fingerprint()}"


def save_folder(folder, saved, history=(), dtype=None):
    """Writes a model into a folder.

    the config is written last: a folder without it counts as no model
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    vocabs = saved.source_vocab, saved.target_vocab
    if saved.pieces:
        saved.pieces.save(folder / PIECES)
    else:
        for name, vocab in zip(WORDS, vocabs):
            text = "".join(f"{word}\n" for word in vocab.words[len(SPECIALS):])
            write_whole(folder / name, text.encode("utf-8"))
    if history:
        lines = "".join(json.dumps(record) + "\n" for record in history)
        write_whole(folder / HISTORY, lines.encode("utf-8"))
        write_whole(folder / CURVES, curves(history))
    save_model(saved.model, folder / WEIGHTS, fingerprint(*vocabs), dtype)
    content = {"format": FORMAT} | asdict(saved.config)
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / CONFIG, text.encode("utf-8"))


def load_folder(folder, device=None):
    """The model of a folder that `save_folder` wrote, ready to translate.

    raises ValueError, with one sentence, for a folder that holds no such model
    """
    folder = Path(folder)
    check_name(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; a model is a folder that train made")
    check_files(folder, CONFIG, WEIGHTS)
    try:
        config = read_config(folder / CONFIG)
    except ValueError as error:
        raise ValueError(f"the model in {folder} cannot be used: {error}") from None
    check_files(folder, *((PIECES,) if config.vocabulary == "pieces" else WORDS))
    try:
        pieces, vocabs = read_words(folder, config.vocabulary)
        check_size(config, sum(map(len, vocabs)), (folder / WEIGHTS).stat().st_size)
        model = config.build(*map(len, vocabs))
        load_model(model, folder / WEIGHTS, fingerprint(*vocabs))
    except ValueError as error:
        raise ValueError(f"the model in {folder} cannot be used: {error}") from None
    except RuntimeError as error:    # nested too deep, or numbers of no known kind
        raise ValueError(f"the model in {folder} cannot be used: {WEIGHTS} is "
                         f"damaged ({short(str(error))})") from None
    return Saved(model.to(device or "cpu").eval(), *vocabs, config, pieces)


def check_files(folder, *names):
    """Refuses by ValueError a folder that lacks one of these files."""
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        begun = ("its training is not finished, and the same command goes on with it"
                 if (folder / UNFINISHED).exists() else f"{missing[0]} is missing")
        if (folder / "model.safetensors").is_file():
            begun = "it goes on from a text, and does not translate; use write"
        raise ValueError(f"{folder} holds no trained model: {begun}")


def read_words(folder, vocabulary):
    """What cuts text, if words are cut into pieces, and both vocabularies."""
    if vocabulary == "words":
        return None, [Vocab.of(read_lines(folder / name)) for name in WORDS]
    pieces = load_subwords(folder / PIECES)
    return pieces, [pieces.vocab()] * 2


def check_name(folder):
    """Refuses by ValueError a name that safetensors cannot open."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{folder} is no name in UTF-8, which a model's folder needs; "
                         "rename it, or choose a locale with UTF-8") from None


def check_size(config, words, size):
    """Refuses by ValueError a config whose model must have more weights than a file of
    `size` bytes holds: a wrong one must not fill the memory."""
    width = config.options.get("width", 64)
    hidden = config.options.get("hidden", width)
    layer = 4 * width * width + width * hidden    # the least that a layer has
    # an RNN reads narrower words than it thinks in
    table = width if config.model.startswith("transformer") else min(width, 96)
    table = words * config.options.get("embedding_width", table)
    if 2 * (table + config.options.get("layers", 1) * layer) > size:
        raise ValueError(f"{WEIGHTS} is smaller than the model of which {CONFIG} and "
                         "its words tell")


def read_config(path):
    """The FolderConfig of a file; ValueError, with one sentence, if it is damaged."""
    name = Path(path).name
    try:
        content = json.loads("\n".join(read_lines(path)))
    except (ValueError, RecursionError):
        raise ValueError(f"{name} is damaged: it is no JSON in UTF-8") from None
    try:
        return FolderConfig.of(content)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def curves(history):
    """A picture, as SVG, of the losses and of the gradient norm by update.

    equal histories give equal bytes
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3), layout="constrained")
    left, right = figure.subplots(1, 2)
    updates = range(1, len(history) + 1)
    left.plot(updates, [record["loss"] for record in history], color="#767676",
              linewidth=0.8, label="training")
    checked = [n for n in updates if "validation loss" in history[n - 1]]
    if checked:
        left.plot(checked, [history[n - 1]["validation loss"] for n in checked],
                  color="#DB3F24", marker="o", markersize=3, label="validation")
        left.legend(frameon=False)
    right.plot(updates, [record["norm"] for record in history], color="#3299E3",
               linewidth=0.8)
    for ax, name in ((left, "loss"), (right, "gradient norm")):
        ax.set(xlabel="update", ylabel=name)
        ax.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": "softdict"}):    # else its ids are drawn anew
        figure.savefig(picture, format="svg", metadata={"Date": None})
    return picture.getvalue()
