"""What each command of `python -m softdict` does, once its arguments are read.

What takes a second to load is imported where it is needed.
"""

import io
import os
import sys
import unicodedata
import warnings
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from softdict.corpus import SPLITS, gloss, join, romanise, split, text
from softdict.corpus.export import block, export, glossed
from softdict.programs.flags import chosen, settings, sizes
from softdict.texts.files import write_whole

MODELS = "_build/models"    # where `train` puts the book's models
PICTURES = ".jpg", ".pdf", ".png", ".svg"


def show_corpus(arguments):
    """Prints sentence pairs with gloss and links, or writes the splits as files."""
    if arguments.export is not None:
        names = [arguments.split] if arguments.split else tuple(SPLITS)
        for path in export(arguments.export, names):
            print(path)
        return
    name = arguments.split or "iid"
    if name.startswith("mono"):
        print("\n".join(" ".join(forms) for forms in text(name)[:arguments.show]))
    else:
        print("\n\n".join(block(pair) for pair in split(name)[:arguments.show]))


def translate(arguments):
    """Prints the translation of a sentence, and draws where the model looked.

    raises ValueError, with one sentence, for flags that do not go with the model
    """
    from softdict.programs import translator

    typed, figure = decode_argument(" ".join(arguments.sentence)), arguments.figure
    if figure:
        check_picture(figure)
    saved = load_named(arguments.model)
    if figure and saved.config.model == "rnn":
        raise ValueError("the model rnn does not attend: there is nothing to draw; "
                         "leave --figure out")
    of_corpus = saved.config.text == "corpus"
    if of_corpus:
        words = translator.words_of(typed, arguments.register or "polite")
        if signs := translator.left_out(typed):
            say(f"{translator.not_known(map(repr, signs))}: left out")
    elif arguments.register:
        raise ValueError("--register is for models of the book's corpus alone; leave "
                         "it out")
    else:
        words = saved.tokenize(typed)
    if unknown := saved.unknown(words):
        say(f"not known to the model, and read as <unk>: {', '.join(unknown)}")
    length, known = len(words) - of_corpus, saved.config.max_source_length
    if length > known:
        say(f"{length} {saved.config.vocabulary}: the sentences of the training had at "
            f"most {known}")
    written = names = saved.translate(words)
    if figure and written:
        weights = translator.saved_attention_map(saved, words, written)
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


def load_named(name):
    """The trained model that --model names: a folder, or one of the book's; without a
    name, that of the package.

    raises ValueError, with one sentence, where there is none
    """
    from softdict.programs import translator
    from softdict.saving.folder import load_folder
    from softdict.saving.recipes import RECIPES

    if name is None:
        return translator.bundled()
    check_model_name(name)
    if name not in RECIPES or (Path(name) / "config.json").exists():
        if not Path(name).exists():
            raise ValueError(f"{name!r} is no folder and none of the book's models: "
                             f"{', '.join(RECIPES)}")
        return load_folder(name)
    if (Path(MODELS) / name).exists():
        return load_folder(Path(MODELS) / name)
    if name == "transformer":
        return translator.bundled()
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
    out, training = planned(arguments)    # refused before what takes a second
    from softdict.programs import distributed

    with stopped(out):
        training()
    if distributed.first():
        print(out)


def planned(arguments):
    """Where a training puts its model, and that training, to be called.

    raises ValueError, with one sentence, for what cannot be trained
    """
    kind, values = chosen(arguments)
    out = Path(values.get("out", f"{MODELS}/{values['model']}"))
    told = settings(values) | {name: values.get(name)
                               for name in ("pieces", "patience", "metric")}
    if kind == "text":
        from softdict.programs import text_trainer

        if os.environ.get("WORLD_SIZE", "1") != "1":
            raise ValueError("--text trains with one process, without torchrun")
        return out, partial(
            text_trainer.train_text, values["text"], out, values["model"],
            preset=values["preset"], sizes=sizes(kind, values), say=say, flags=values,
            **told)
    import torch

    from softdict.programs import distributed, pair_trainer
    from softdict.programs.resume import check_folder
    from softdict.saving.recipes import RECIPES

    if values["model"] not in RECIPES:
        raise ValueError(f"the book has no model {values['model']!r}; it has "
                         f"{', '.join(RECIPES)}, and for --text llama and gpt2")
    distributed.begin()
    check_folder(out)
    data, told["pieces"] = training_data(kind, values)
    if distributed.first():
        for sentence in data[-1]:
            say(sentence)
    return out, partial(
        pair_trainer.train_folder, out, values["model"], data,
        options=sizes(kind, values), text="corpus" if kind == "corpus" else "plain",
        dtype=torch.float16 if values["half"] else None,
        lowercase=values.get("lowercase", False), flags=values, **told)


@contextmanager
def stopped(out):
    """Ends an interrupted training with what the same command does next."""
    from softdict.saving.folder import UNFINISHED

    try:
        yield
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command " + (
            "goes on from the last checkpoint." if (out / UNFINISHED).exists()
            else "begins anew: there was no checkpoint yet."))


def training_data(kind, values):
    """What a training of this kind reads, and the SubwordTokenizer that cuts it, if
    there is one.

    raises ValueError, with one sentence, for what cannot be read
    """
    from softdict.programs.pair_trainer import corpus_data
    from softdict.subwords import subword_data
    from softdict.texts.own_text import own_data, own_texts
    from softdict.texts.real_text import multi30k

    if kind == "corpus":
        return corpus_data(), None
    valid, max_length = values.get("valid"), values["max-length"]
    if kind == "pairs":
        return own_data(values["pairs"], valid, max_length, values["min-count"],
                        values["lowercase"]), None
    if kind == "pieces":
        *texts, notes = own_texts(values["pairs"], valid)
        data, pieces = subword_data(*texts, values["pieces"], max_length,
                                    values["lowercase"])
        return (*data[:-1], notes + data[-1]), pieces
    if values["data"] != "multi30k":
        raise ValueError(f"--data is multi30k, not {values['data']!r}; pairs of your "
                         "own go with --pairs")
    source, target = values["from"], values["to"]
    if source == target:
        raise ValueError(f"--from and --to are both {source}: a translation needs two "
                         "languages")
    texts = [multi30k(split, source, target, values.get("data-dir"))
             for split in ("train", "val")]
    return subword_data(*texts, values["pieces"], max_length, values["lowercase"])


def write(arguments):
    """Prints a text and what a language model writes behind it, as it is written."""
    from softdict.programs.writer import load_writer

    check_model_name(arguments.model)
    parts = load_writer(arguments.model).stream(
        decode_argument(" ".join(arguments.text)), arguments.count,
        arguments.temperature, arguments.top_k, arguments.top_p, arguments.min_p,
        arguments.seed)
    try:
        for part in parts:
            print(harmless(part), end="", flush=True)
    except KeyboardInterrupt:
        print()
        raise
    print()


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


def decode_argument(text):
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
    """Writes weights [T, S] as a picture, in the format that the path's ending names.

    letters that no font of the computer has are said, and drawn as boxes
    raises ValueError for weights of another shape than the names of T queries, S keys
    """
    sizes = [len(query_names), len(key_names)]
    if list(weights.shape) != sizes:
        raise ValueError(f"a map of {sizes[0]} queries and {sizes[1]} keys needs "
                         f"weights {sizes}, not {list(weights.shape)}")
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from softdict import figures

    figures.style()
    families, missing = figures.fonts_for("".join([*query_names, *key_names]))
    if missing:
        say(f"no font of this computer can draw {', '.join(missing[:9])}: boxes stand "
            "for such letters; install a font that has them, such as Noto Sans CJK "
            "for Korean, Japanese and Chinese, and draw again")
    size = 2 + 0.35 * len(key_names), 1.5 + 0.28 * len(query_names)
    with pyplot.rc_context({"font.family": families}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")    # what is missing was said
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
