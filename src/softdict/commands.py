"""What each command of `python -m softdict` does, once its arguments are read.

What takes a second to load is imported where it is needed.
"""

import io
import os
import sys
from pathlib import Path

from softdict.corpus import SIZES, gloss, join, romanise, split, text
from softdict.corpus.export import block, export, glossed
from softdict.files import write_whole

MODELS = "_build/models"    # where `train` puts the book's models
PICTURES = ".jpg", ".pdf", ".png", ".svg"


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
    from softdict.own_text import join_words, split_words

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
        words = split_words(typed)
    if unknown := saved.unknown(words):
        say(f"not known to the model, and read as <unk>: {', '.join(unknown)}")
    length, longest = len(words) - of_corpus, saved.config.longest
    if length > longest:
        say(f"{length} words: the sentences of the training had at most {longest}")
    written = names = saved.translate(words)
    if of_corpus:
        meanings = gloss(written)
        print(join(written), *glossed(written, meanings), sep="\n")
        names = [f"{romanise(form)} {meaning}"
                 for form, meaning in zip(written, meanings)]
    else:
        print(join_words(written))
    if figure and not written:
        say("the translation is empty: nothing was drawn")
    elif figure:
        save_map(figure, translator.attended(saved, words, written), names, words)
        print(figure)


def find_model(name):
    """The trained model that --model names: a folder, or one of the book's; without a
    name, that of the package."""
    from softdict import translator
    from softdict.folder import load_folder
    from softdict.recipes import RECIPES

    if name is None:
        return translator.carried()
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


def train(arguments):
    """Trains a model, with a bar; the same command goes on after an interruption."""
    import torch

    from softdict import translator
    from softdict.own_text import own_data
    from softdict.recipes import RECIPES

    if arguments.model not in RECIPES:
        raise ValueError(f"the book has no model {arguments.model!r}; "
                         f"it has {', '.join(RECIPES)}")
    if arguments.valid and not arguments.pairs:
        raise ValueError("--valid goes with --pairs")
    out = Path(f"{MODELS}/{arguments.model}" if arguments.out is None
               else arguments.out)
    translator.check_folder(out)
    options, changes = (
        {name: value for name, value in given.items() if value is not None}
        for given in ({"width": arguments.width, "layers": arguments.layers,
                       "heads": arguments.heads},
                      {"updates": arguments.updates, "peak_rate": arguments.rate}))
    if arguments.pairs:
        data = own_data(arguments.pairs, arguments.valid, arguments.longest,
                        arguments.min_count)
    else:
        data = translator.corpus_data()
    for sentence in data[-1]:
        say(sentence)
    try:
        translator.train_folder(
            out, arguments.model, data, arguments.seed, options,
            "plain" if arguments.pairs else "corpus",
            torch.float16 if arguments.half else None, **changes)
    except KeyboardInterrupt:
        begun = (out / translator.UNFINISHED).exists()
        sys.exit("Stopped. The same command " + (
            "goes on from the last checkpoint." if begun
            else "begins anew: there was no checkpoint yet."))
    print(out)


def grade(arguments):
    """Grades the submissions of a class."""
    from softdict.grading.grade import run

    try:
        run(arguments)
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command goes on where it was.")


def say(sentence):
    """A sentence for the reader, beside the output."""
    print(sentence, file=sys.stderr)


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
    picture = io.BytesIO()
    figure.savefig(picture, bbox_inches="tight",
                   format=Path(path).suffix.lower().removeprefix("."))
    pyplot.close(figure)
    write_whole(path, picture.getvalue())
