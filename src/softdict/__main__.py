"""python -m softdict: what the package does from a command line."""

import argparse
import sys
from pathlib import Path

from softdict.corpus import SIZES, gloss, join, romanise, split, text
from softdict.corpus.export import block, export, glossed


class Parser(argparse.ArgumentParser):
    """A parser that refuses wrong arguments with one sentence."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def whole_number(text):
    """The number that an argument spells, 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number above 0; got {text!r}")
    return int(text)


def corpus_command(arguments):
    """Prints sentence pairs with gloss, romanisation and links, or writes the splits as files."""
    if arguments.export is not None:
        for path in export(arguments.export, [arguments.split] if arguments.split else tuple(SIZES)):
            print(path)
        return
    name = arguments.split or "iid"
    if name.startswith("mono"):
        print("\n".join(" ".join(forms) for forms in text(name)[:arguments.show]))
    else:
        print("\n\n".join(block(pair) for pair in split(name)[:arguments.show]))


def translate_command(arguments):
    """Prints the translation of a sentence, romanised and glossed, and draws where the model looked."""
    from softdict import translator
    from softdict.decoding import translate    # it takes seconds to load

    file = arguments.file or (None if arguments.model == "transformer" else model_file(arguments.model))
    if file and not Path(file).exists():
        sys.exit(f"python -m softdict translate: there is no {file}; "
                 f"python -m softdict train {arguments.model} --file {file} makes it")
    try:
        words = translator.words_of(" ".join(arguments.sentence), arguments.register)
        model = translator.translator(arguments.model, file)
    except ValueError as error:
        sys.exit(f"python -m softdict translate: {error}")
    if len(words) > translator.LONGEST + 1:
        print(f"{len(words) - 1} words: longer than all sentences of the training, which end at "
              f"{translator.LONGEST}", file=sys.stderr)
    morphemes = translate(model, words, *translator.vocabs())
    meanings = gloss(morphemes)
    print(join(morphemes), *glossed(morphemes, meanings), sep="\n")
    if arguments.figure:
        weights = translator.looks(model, words, morphemes)
        names = [f"{romanise(form)} {meaning}" for form, meaning in zip(morphemes, meanings)]
        save_map(arguments.figure, weights, names, words)


def model_file(name):
    """Where a trained model is kept unless the command says otherwise."""
    return f"_build/models/{name}.safetensors"


def train_command(arguments):
    """Trains one of the book's models, with a bar; the same command goes on after an interruption."""
    from softdict import checkpoint, translator

    file = arguments.file or model_file(arguments.model)
    changes = {"updates": arguments.updates} if arguments.updates else {}
    try:
        model = translator.train_translator(arguments.model, file, arguments.seed, **changes)
    except (ValueError, ArithmeticError) as error:
        sys.exit(f"python -m softdict train: {error}")
    except KeyboardInterrupt:
        sys.exit("the training was stopped; the same command goes on where its last checkpoint ends")
    print(file)
    if arguments.half:
        import torch
        checkpoint.save_model(model, arguments.half, translator.untrained(arguments.model)[1], torch.float16)
        print(arguments.half)


def save_map(path, weights, query_names, key_names):
    """Writes a map of weights as a picture; the ending of the path names the format."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from softdict import figures

    figures.style()
    figure, ax = pyplot.subplots(figsize=(2 + 0.35 * len(key_names), 1.5 + 0.28 * len(query_names)))
    figures.draw_weights(ax, weights.cpu(), query_names, key_names, numbers=False)
    ax.tick_params(axis="x", rotation=60)
    try:
        figure.savefig(path, bbox_inches="tight")
    except ValueError as error:
        sys.exit(f"python -m softdict translate: {error}")
    print(path)


def main(arguments=None):
    parser = Parser(prog="python -m softdict", description="The code of the book From Dictionary to Transformer.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    corpus = commands.add_parser("corpus", help="show or write the embedded English-Korean corpus",
                                 description="Shows pairs of the embedded corpus, or writes its splits as files.")
    corpus.add_argument("--split", choices=list(SIZES), metavar="NAME", help=f"one of {', '.join(SIZES)} (default iid)")
    corpus.add_argument("--show", type=whole_number, default=5, metavar="N", help="how many pairs to print (default 5)")
    corpus.add_argument("--export", metavar="DIR", help="write all splits, or the one named, as TSV files")
    corpus.set_defaults(run=corpus_command)
    asked = commands.add_parser("translate", help="translate an English sentence into Korean",
                                description="Translates a sentence of the book's English into Korean, with the trained "
                                            "Transformer of the package or a model that `train` made.")
    asked.add_argument("sentence", nargs="+", metavar="WORD", help="the sentence, with or without quotation marks")
    asked.add_argument("--register", choices=("formal", "polite", "plain"), default="polite",
                       help="how the Korean addresses its reader (default polite)")
    asked.add_argument("--model", default="transformer", metavar="NAME", help="one of those that `train` knows "
                       "(default transformer)")
    asked.add_argument("--file", metavar="FILE", help="where `train` put it (default _build/models/NAME.safetensors; "
                       "for the Transformer, the one in the package)")
    asked.add_argument("--figure", metavar="FILE", help="also draw where the model looked, such as map.svg or map.png")
    asked.set_defaults(run=translate_command)
    trained = commands.add_parser("train", help="train one of the book's models",
                                  description="Trains one of the book's models on the embedded corpus; the same "
                                              "command goes on after an interruption.")
    trained.add_argument("model", metavar="NAME", help="rnn, attention-dot, attention-scaled, attention-general, "
                         "attention-additive, transformer or transformer-rotary")
    trained.add_argument("--updates", type=whole_number, metavar="N", help="how many updates (default 2000)")
    trained.add_argument("--seed", type=int, default=0, metavar="N", help="where chance starts (default 0)")
    trained.add_argument("--file", metavar="FILE", help="where to put it (default _build/models/NAME.safetensors)")
    trained.add_argument("--half", metavar="FILE", help="also write the weights in 16 bits: the package's asset")
    trained.set_defaults(run=train_command)
    chosen = parser.parse_args(arguments)
    try:
        chosen.run(chosen)
    except BrokenPipeError:    # the reader of a pipe (head, less) has seen enough
        sys.stderr.close()
    except OSError as error:
        file = error.filename or getattr(chosen, "export", None) or getattr(chosen, "file", None)
        sys.exit(f"{parser.prog}: cannot write {file}: {error.strerror}")


if __name__ == "__main__":
    main()
