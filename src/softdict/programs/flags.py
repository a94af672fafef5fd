"""The flags of `train`: one table, and what is read from it.

A new flag is one more row of FLAGS: `--help`, what it goes with, the config file that
`--config` reads and the run.toml that a training writes all come from there. One that
is a size of the model or a field of Settings reaches them, too; any other is read in
`commands` by its name.
"""

import argparse
import json
import os
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from softdict import __version__
from softdict.texts.files import read_lines, write_whole

RUN = "run.toml"    # in the folder of a model: what repeats its training

# What reads a value


def whole_number(text, least=1):
    """The number that an argument spells, `least` or more; argparse's error else."""
    if not text.isdecimal() or len(text) > 9 or int(text) < least:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of {least} or more, up to nine digits; "
            f"got {text[:20]!r}")
    return int(text)


def seed_number(text):
    """The number that an argument spells: 0 is one too."""
    return whole_number(text, 0)


def place(text):
    """The name of a file or a folder; argparse's error for an empty one."""
    if not text.strip() or "\0" in text:
        raise argparse.ArgumentTypeError(
            f"must name a file or a folder; got {text[:20]!r}")
    return text


# what a config file may hold for each of them
TOML = {str: str, place: str, whole_number: int, seed_number: int, bool: bool,
        float: (float, int)}
TOLD = {str: "a text", int: "a whole number", bool: "true or false",
        (float, int): "a number"}

# The table


# kinds of training, as sentences name them; --pieces is --pairs cut into pieces
KINDS = {"corpus": "the book's corpus", "pairs": "--pairs", "pieces": "--pieces",
         "data": "--data", "text": "--text"}
LEARNED, MODEL, UPDATES, KEPT, FILES = (
    "what is learned from", "the model (default: as its name or its preset has it)",
    "its training (default: as its name or its preset has it)",
    "which weights are kept", "files")


def of(*kinds, **defaults):
    """The kinds of training with which a flag goes, each with its default there."""
    return dict.fromkeys(kinds) | defaults


ANY = of(*KINDS)
TRANSLATORS = of("corpus", "pairs", "pieces", "data")    # trainings of translators


@dataclass(frozen=True)
class Flag:
    """A flag of `train`."""

    name: str               # as it is typed, without its dashes
    value: str              # what stands behind it; nothing behind a switch
    read: Callable          # its value from a text; argparse's error for a wrong one
    group: str
    words: str              # for --help
    goes: dict              # each kind of training it goes with, and its default there
    setting: str = ""       # the field of Settings that it is
    size: tuple = ()        # the kinds of training in which it is a size of the model
    transformers: bool = False    # RNNs do not have it

    @property
    def key(self):
        """Its name among parsed arguments."""
        return self.name.replace("-", "_")


FLAGS = (
    Flag("pairs", "FILE", place, LEARNED, "your own pairs: a pair a line, a tab "
         "between source and target (default: the book's corpus)",
         of("pairs", "pieces")),
    Flag("valid", "FILE", place, LEARNED, "pairs to validate on (default: one source "
         "sentence in twenty of --pairs)", of("pairs", "pieces")),
    Flag("data", "NAME", str, LEARNED, "multi30k: sentences that people wrote, fetched "
         "by softdict.texts.real_text.fetch", of("data")),
    Flag("data-dir", "DIR", place, LEARNED, "where its files are (default: where fetch "
         "put them)", of("data")),
    Flag("from", "LANGUAGE", str, LEARNED, "its source: de, en or fr (default de)",
         of(data="de")),
    Flag("to", "LANGUAGE", str, LEARNED, "its target (default en)", of(data="en")),
    Flag("text", "FILE", place, LEARNED, "any text in UTF-8: the model learns to go on "
         "from one, and write uses it", of("text")),
    Flag("pieces", "N", whole_number, LEARNED, "cut words into pieces, N at most "
         "(default 6000 with --data; words with --pairs, characters with --text)",
         of("pairs", "pieces", "text", data=6000)),
    Flag("max-length", "N", whole_number, LEARNED, "leave out pairs with more words "
         "(default 40), or pieces (100)", of(pairs=40, pieces=100, data=100)),
    Flag("min-count", "N", whole_number, LEARNED, "rarer words become <unk> (default "
         "2; with --pieces none is unknown)", of(pairs=2)),
    Flag("lowercase", "", bool, LEARNED, "read and write small letters alone",
         dict.fromkeys(("pairs", "pieces", "data"), False)),
    Flag("model", "NAME", str, MODEL, "one of those below (default transformer); with "
         "--text llama or gpt2 (default llama)",
         dict.fromkeys(TRANSLATORS, "transformer") | of(text="llama")),
    Flag("preset", "NAME", str, MODEL, "the sizes of a model of --text: small or gpu "
         "(default small)", of(text="small")),
    Flag("context-length", "N", whole_number, MODEL, "pieces that the model sees at "
         "once, and of a window of --text", of("text"), size=("text",)),
    Flag("width", "N", whole_number, MODEL, "numbers a word", ANY, size=tuple(KINDS)),
    Flag("layers", "N", whole_number, MODEL, "of encoder and decoder, Transformers "
         "only", ANY, size=tuple(KINDS), transformers=True),
    Flag("heads", "N", whole_number, MODEL, "of each attention, Transformers only", ANY,
         size=tuple(KINDS), transformers=True),
    Flag("hidden", "N", whole_number, MODEL, "of feed-forward, Transformers only", ANY,
         size=tuple(KINDS), transformers=True),
    Flag("dropout", "R", float, MODEL, "the share of numbers that is dropped", ANY,
         size=tuple(KINDS)),
    Flag("updates", "N", whole_number, UPDATES, "how many updates", ANY, "updates"),
    Flag("batch", "N", whole_number, UPDATES, "pairs an update, or windows of --text",
         ANY, "batch_size"),
    Flag("rate", "R", float, UPDATES, "the peak learning rate", ANY, "peak_rate"),
    Flag("warmup", "N", seed_number, UPDATES, "updates until the peak rate is reached",
         ANY, "warmup"),
    Flag("schedule", "NAME", str, UPDATES, "of the learning rate: wsd, inverse_sqrt or "
         "cosine", ANY, "schedule"),
    Flag("clip", "R", float, UPDATES, "clip gradients that are longer", ANY, "clip"),
    Flag("smoothing", "R", float, UPDATES, "label smoothing", ANY, "smoothing"),
    Flag("precision", "NAME", str, UPDATES, "float32, or mixed: bfloat16, float16", ANY,
         "precision"),
    Flag("micro-batches", "N", whole_number, UPDATES, "compute a batch in N parts: "
         "less memory", ANY, "micro_batches"),
    Flag("seed", "N", seed_number, UPDATES, "where chance starts (default 0)",
         dict.fromkeys(KINDS, 0), "seed"),
    Flag("patience", "N", seed_number, KEPT, "stop after N validations without a "
         "better one, and keep the best (default 0: never stop)",
         dict.fromkeys(KINDS, 0)),
    Flag("metric", "NAME", str, KEPT, "keep the best weights by loss, bleu or chrf: "
         "the validation loss, or a score of greedy translations of the first 500 "
         "validation pairs; with --text loss alone (default: loss with --patience; "
         "without, the last weights are kept)", ANY),
    Flag("half", "", bool, KEPT, "keep the weights in 16 bits: half the bytes",
         dict.fromkeys(TRANSLATORS, False)),
    Flag("out", "DIR", place, FILES, "the folder to make (default _build/models/NAME)",
         ANY),
    Flag("config", "FILE", place, FILES, "read flags from a TOML file, a name and its "
         f"value a line; those of the command line win. Each training writes {RUN}, "
         "which repeats it, into its folder", ANY))
NAMES = {flag.name: flag for flag in FLAGS}


def add_flags(parser):
    """Gives a parser the flags, by group."""
    groups = {}
    for flag in FLAGS:
        if flag.group not in groups:
            groups[flag.group] = parser.add_argument_group(flag.group)
        how = ({"type": flag.read, "metavar": flag.value} if flag.value
               else {"action": argparse.BooleanOptionalAction})
        groups[flag.group].add_argument(f"--{flag.name}", help=flag.words, **how)


# What was chosen


def chosen(arguments):
    """The kind of training that parsed arguments ask for, and its flags.

    returns a kind and values by name: those given, on the command line or else in a
    config file, and the defaults
    raises ValueError, with one sentence, for flags that do not go together
    """
    given = {flag.name: getattr(arguments, flag.key) for flag in FLAGS
             if getattr(arguments, flag.key) is not None}
    if "config" in given:
        given = read_config(given.pop("config")) | given
    asked = [name for name in ("pairs", "data", "text") if name in given]
    if len(asked) > 1:
        raise ValueError(f"{listed(asked, 'and')} are trainings of their own; choose "
                         "one")
    kind = asked[0] if asked else "corpus"
    if kind == "pairs" and "pieces" in given:
        kind = "pieces"
    if wrong := [name for name in given if kind not in NAMES[name].goes]:
        raise ValueError(refusal(wrong, kind))
    defaults = {flag.name: flag.goes[kind] for flag in FLAGS
                if flag.goes.get(kind) is not None}
    values = defaults | given
    rnn = values["model"].startswith(("rnn", "attention"))
    if wrong := [name for name in given if NAMES[name].transformers and rnn]:
        raise ValueError(f"the model {values['model']} does not take "
                         f"{listed(wrong, 'and')}: only Transformers do")
    return kind, {flag.name: values[flag.name] for flag in FLAGS
                  if flag.name in values}


def refusal(wrong, kind):
    """The sentence for flags that do not go with a kind of training."""
    if len(wrong) > 1:
        return f"{KINDS[kind]} does not take {listed(wrong, 'and')}; leave them out"
    goes = [words for name, words in KINDS.items()
            if name in NAMES[wrong[0]].goes and name != "pieces"]
    return f"--{wrong[0]} goes with {either(goes, 'or')}, not with {KINDS[kind]}"


def listed(names, last):
    """Names of flags as a part of a sentence."""
    return either([f"--{name}" for name in names], last)


def either(parts, last):
    """Parts of a sentence, in a row."""
    return f" {last} ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def sizes(kind, values):
    """The sizes of the model among the flags of a training of this kind."""
    return {NAMES[name].key: value for name, value in values.items()
            if kind in NAMES[name].size}


def settings(values):
    """The fields of Settings among the flags of a training."""
    return {NAMES[name].setting: value for name, value in values.items()
            if NAMES[name].setting}


# Files


def read_config(path):
    """The flags of a TOML file, by name.

    raises ValueError, with one sentence, for a file that is damaged, a name that is no
    flag, or a value of another kind
    """
    name = Path(path).name
    try:
        content = tomllib.loads("\n".join(read_lines(path)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else error
        raise ValueError(f"{name} is no TOML: {reason}") from None
    return {key: read_value(name, key, value) for key, value in content.items()}


def read_value(file, key, value):
    """The value of a flag in a config file; ValueError for another kind of value."""
    if key not in NAMES or key == "config":
        raise ValueError(f"{file}: there is no flag {key[:40]!r}; it may have those of "
                         "train --help but --config")
    kind = TOML[NAMES[key].read]
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise ValueError(f"{file}: {key} must be {TOLD[kind]}, not {str(value)[:40]!r}")
    try:
        return value if kind is bool else NAMES[key].read(str(value))
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"{file}: {key} {error}") from None


def write_run(folder, values, settings, options):
    """Writes what repeats a training into its folder: a config file.

    values are its flags, settings its Settings, options the sizes of its model so far
    as they are told beside its name or preset
    raises ValueError for a name that is not UTF-8
    """
    lines = [f"# softdict {__version__}; train --config {RUN} --out DIR repeats this "
             "training"]
    fields = asdict(settings)
    for flag in FLAGS:
        value = fields.get(flag.setting, options.get(flag.name, values.get(flag.name)))
        if value is not None and flag.name not in ("out", "config"):
            if flag.read is place:
                value = os.path.abspath(value)
            lines.append(f"{flag.name} = {toml(value)}")
    try:
        content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{RUN} cannot name a file whose name is not UTF-8; rename "
                         "it") from None
    write_whole(Path(folder) / RUN, content)


def toml(value):
    """A text, a number or a truth as TOML spells it."""
    if isinstance(value, float):
        return repr(value)
    # what JSON escapes TOML escapes alike, and one sign more
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
