"""What each command of `python -m softdict` does, once its arguments are read.

What takes a second to load is imported where it is needed.
"""

import io
import os
import sys
import unicodedata
from contextlib import contextmanager
from pathlib import Path

from softdict.corpus import SIZES, gloss, join, romanise, split, text
from softdict.corpus.export import block, export, glossed
from softdict.files import write_whole

MODELS = "_build/models"    # where `train` puts the book's models
PICTURES = ".jpg", ".pdf", ".png", ".svg"
# flags of `train` that a training on text does not know
NOT_WITH_TEXT = ("pairs", "valid", "data", "data_dir", "from", "to", "smoothing",
                 "patience", "min_count", "half")


def show_corpus(arguments):
    """Prints sentence pairs with gloss and links, or writes the splits as files."""
    if arguments.export is not None:
        names = [arguments.split] if arguments.split else tuple(SIZES)
        for path in export(arguments.export, names):
            print(path)
        return
    name = arguments.split or "iid"
    if name.startswith("mono"):
        print("\n".join(" ".join(forms) for forms in text(name)[:arguments.show]))
    else:
        print("\n\n".join(block(pair) for pair in split(name)[:arguments.show]))


def translate(arguments):
    """Prints the translation of a sentence, and draws where the model looked."""
    from softdict import translator

    typed, figure = as_typed(" ".join(arguments.sentence)), arguments.figure
    if figure:
        check_picture(figure)
    saved = find_model(arguments.model)
    if figure and saved.config.model == "rnn":
        raise ValueError("the model rnn does not attend: there is nothing to draw; "
                         "leave --figure out")
    of_corpus = saved.config.text == "corpus"
    if of_corpus:
        words = translator.words_of(typed, arguments.register or "polite")
    elif arguments.register:
        raise ValueError("--register is for models of the book's corpus alone; leave "
                         "it out")
    else:
        words = saved.cut(typed)
    if unknown := saved.unknown(words):
        say(f"not known to the model, and read as <unk>: {', '.join(unknown)}")
    length, longest = len(words) - of_corpus, saved.config.longest
    if length > longest:
        say(f"{length} {saved.config.vocabulary}: the sentences of the training had at "
            f"most {longest}")
    written = names = saved.translate(words)
    if figure and written:
        weights = translator.attended(saved, words, written)
    if of_corpus:
        meanings = gloss(written)
        print(join(written), *glossed(written, meanings), sep="\n")
        names = [f"{romanise(form)} {meaning}"
                 for form, meaning in zip(written, meanings)]
    else:
        print(harmless(saved.join(written)))
        words, names = map(visible, (words, written))
    if figure and not written:
        say("the translation is empty: nothing was drawn")
    elif figure:
        save_map(figure, weights, names, words)
        print(figure)


def visible(pieces):
    """Words or pieces with a sign for the blank that tells a word from its rest."""
    return [piece.replace(" ", "\N{LOWER ONE EIGHTH BLOCK}") for piece in pieces]


def find_model(name):
    """The trained model that --model names: a folder, or one of the book's; without a
    name, that of the package."""
    from softdict import translator
    from softdict.folder import load_folder
    from softdict.recipes import RECIPES

    if name is None:
        return translator.carried()
    check_model_name(name)
    if name not in RECIPES or (Path(name) / "config.json").exists():
        if not Path(name).exists():
            raise ValueError(f"{name!r} is no folder and none of the book's models: "
                             f"{', '.join(RECIPES)}")
        return load_folder(name)
    if (Path(MODELS) / name).exists():
        return load_folder(Path(MODELS) / name)
    if name == "transformer":
        return translator.carried()
    raise ValueError(f"the model {name} is not trained yet: "
                     f"python -m softdict train --model {name} does it")


def check_model_name(name):
    """Refuses by ValueError an empty name: it would be the current folder."""
    if not name.strip():
        raise ValueError("--model is empty; it must name a model's folder")


def train(arguments):
    """Trains a model, with a bar; the same command goes on after an interruption."""
    if os.environ.get("RANK", "0") != "0":    # one process of torchrun speaks
        os.environ["TQDM_DISABLE"] = "1"
    if arguments.text is not None:
        return train_text(arguments)
    import torch

    from softdict import distributed, translator
    from softdict.recipes import RECIPES

    name = arguments.model or "transformer"
    if name not in RECIPES:
        raise ValueError(f"the book has no model {name!r}; it has "
                         f"{', '.join(RECIPES)}, and for --text llama and gpt2")
    distributed.begin()
    out = model_folder(arguments, name)
    translator.check_folder(out)
    data, pieces = training_data(arguments)
    if distributed.first():
        for sentence in data[-1]:
            say(sentence)
    with stopped(out):
        translator.train_folder(
            out, name, data, arguments.seed, given_sizes(arguments),
            "plain" if arguments.pairs or arguments.data else "corpus",
            torch.float16 if arguments.half else None, pieces, arguments.patience,
            **given_settings(arguments))
    if distributed.first():
        print(out)


def train_text(arguments):
    """Trains a language model on a text; an interruption is as in `train`."""
    from softdict import writing

    if unused := [f"--{name.replace('_', '-')}" for name in NOT_WITH_TEXT
                  if getattr(arguments, name) not in (None, False, 0)]:
        raise ValueError(f"--text does not take {', '.join(unused)}; leave "
                         f"{'it' if len(unused) == 1 else 'them'} out")
    if os.environ.get("WORLD_SIZE", "1") != "1":
        raise ValueError("--text trains with one process, without torchrun")
    name = arguments.model or "llama"
    sizes, out = given_sizes(arguments), model_folder(arguments, name)
    if arguments.longest:
        sizes["longest"] = arguments.longest
    with stopped(out):
        writing.train_text(arguments.text, out, name, arguments.pieces,
                           arguments.preset or "small", arguments.seed, sizes, say,
                           **given_settings(arguments))
    print(out)


def model_folder(arguments, name):
    """Where a training puts the model of this name."""
    return Path(f"{MODELS}/{name}" if arguments.out is None else arguments.out)


def given_sizes(arguments):
    """The sizes of a model that were given, by name."""
    return {name: getattr(arguments, name)
            for name in ("width", "layers", "heads", "hidden", "dropout")
            if getattr(arguments, name) is not None}


def given_settings(arguments):
    """The Settings of a training that were given, by name."""
    given = {"updates": arguments.updates, "peak_rate": arguments.rate,
             "batch_size": arguments.batch, "warmup": arguments.warmup,
             "smoothing": arguments.smoothing, "accumulate": arguments.accumulate,
             "precision": arguments.precision}
    return {name: value for name, value in given.items() if value is not None}


@contextmanager
def stopped(out):
    """Ends an interrupted training with what the same command does next."""
    from softdict.folder import UNFINISHED

    try:
        yield
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command " + (
            "goes on from the last checkpoint." if (out / UNFINISHED).exists()
            else "begins anew: there was no checkpoint yet."))


def training_data(arguments):
    """What a training reads, and the Pieces that cut it, if some do."""
    from softdict import translator
    from softdict.own_text import own_data, own_texts
    from softdict.pieces import PIECES, pieces_data
    from softdict.real_text import multi30k

    for name, other in (("valid", "pairs"), ("min_count", "pairs"),
                        ("data_dir", "data"), ("from", "data"), ("to", "data"),
                        ("preset", "text")):
        if getattr(arguments, name) and not getattr(arguments, other):
            raise ValueError(f"--{name.replace('_', '-')} goes with --{other}")
    if arguments.pairs and arguments.data:
        raise ValueError("--pairs and --data are two trainings; choose one")
    if arguments.pieces and not (arguments.pairs or arguments.data):
        raise ValueError("--pieces goes with --pairs, --data or --text: the book's "
                         "corpus is cut already")
    if arguments.pieces and arguments.min_count:
        raise ValueError("--min-count is for words: with --pieces none is unknown")
    size = arguments.pieces or PIECES
    if arguments.data:
        if arguments.data != "multi30k":
            raise ValueError(f"--data is multi30k, not {arguments.data!r}; pairs of "
                             "your own go with --pairs")
        source, target = getattr(arguments, "from") or "de", arguments.to or "en"
        if source == target:
            raise ValueError(f"--from and --to are both {source}: a translation needs "
                             "two languages")
        texts = [multi30k(split, source, target, arguments.data_dir)
                 for split in ("train", "val")]
        return pieces_data(*texts, size, arguments.longest or 100)
    if arguments.pairs and arguments.pieces:
        *texts, notes = own_texts(arguments.pairs, arguments.valid)
        data, pieces = pieces_data(*texts, size, arguments.longest or 100)
        return (*data[:-1], notes + data[-1]), pieces
    if arguments.pairs:
        return own_data(arguments.pairs, arguments.valid, arguments.longest or 40,
                        arguments.min_count or 2), None
    return translator.corpus_data(), None


def write(arguments):
    """Prints a text and what a language model writes behind it."""
    from softdict.writing import load_writer

    check_model_name(arguments.model)
    writer = load_writer(arguments.model)
    print(harmless(writer.write(
        as_typed(" ".join(arguments.text)), arguments.count, arguments.temperature,
        arguments.top_k, arguments.top_p, arguments.seed)))


def grade(arguments):
    """Grades the submissions of a class."""
    # what was handed in may lie in the current folder, and none of it is a module
    sys.path[:] = [place for place in sys.path if Path(place).resolve() != Path.cwd()]
    from softdict.grading.grade import run

    try:
        run(arguments)
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on where it was.")


def say(sentence):
    """A sentence for the reader, beside the output."""
    print(harmless(sentence), file=sys.stderr)


def harmless(text):
    """A text without the control characters that a terminal would obey: a model may
    write any."""
    return "".join("\N{REPLACEMENT CHARACTER}" if letter not in "\n\t"
                   and unicodedata.category(letter) == "Cc" else letter
                   for letter in text)


def as_typed(text):
    """An argument as it was typed: Python reads it wrongly in the locale C."""
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return os.fsencode(text).decode("utf-8", "replace")


def check_picture(path):
    """Refuses by ValueError a file whose ending names no format of a picture."""
    if Path(path).suffix.lower() not in PICTURES:
        raise ValueError(f"{path} cannot be drawn: its name must end in one of "
                         f"{', '.join(PICTURES)}")


def save_map(path, weights, query_names, key_names):
    """Writes a map of weights as a picture; the ending of the path names the format."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from softdict import figures

    figures.style()
    size = 2 + 0.35 * len(key_names), 1.5 + 0.28 * len(query_names)
    figure, ax = pyplot.subplots(figsize=size)
    figures.draw_weights(ax, weights.cpu(), query_names, key_names, numbers=False)
    ax.tick_params(axis="x", rotation=60)
    for name in ax.get_xticklabels() + ax.get_yticklabels():
        name.set_parse_math(False)    # two dollars are no formula
    picture = io.BytesIO()
    figure.savefig(picture, bbox_inches="tight",
                   format=Path(path).suffix.lower().removeprefix("."))
    pyplot.close(figure)
    write_whole(path, picture.getvalue())
