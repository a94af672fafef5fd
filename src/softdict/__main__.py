"""python -m softdict: what the package does from a command line."""

import argparse
import sys

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
    from softdict.decoding import translate, translation_weights    # they take seconds to load

    try:
        words = translator.words_of(" ".join(arguments.sentence), arguments.register)
        model = translator.translator(arguments.model)
    except ValueError as error:
        sys.exit(f"python -m softdict translate: {error}")
    except KeyboardInterrupt:
        sys.exit("the training was stopped; the same command goes on where its last checkpoint ends")
    if len(words) > translator.LONGEST + 1:
        print(f"{len(words) - 1} words: longer than all sentences of the training, which end at "
              f"{translator.LONGEST}", file=sys.stderr)
    morphemes = translate(model, words, *translator.vocabs())
    meanings = gloss(morphemes)
    print(join(morphemes), *glossed(morphemes, meanings), sep="\n")
    if arguments.figure:
        weights = translation_weights(model, words, morphemes, *translator.vocabs())
        names = [f"{romanise(form)} {meaning}" for form, meaning in zip(morphemes, meanings)]
        save_map(arguments.figure, weights, names, words)


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
                                description="Translates a sentence of the book's English into Korean; the first time, "
                                            "a model of chapter 07 is trained, in about three minutes on a CPU.")
    asked.add_argument("sentence", nargs="+", metavar="WORD", help="the sentence, with or without quotation marks")
    asked.add_argument("--register", choices=("formal", "polite", "plain"), default="polite",
                       help="how the Korean addresses its reader (default polite)")
    asked.add_argument("--model", default="_build/translator.safetensors", metavar="FILE",
                       help="where the trained model is, or will be (default _build/translator.safetensors)")
    asked.add_argument("--figure", metavar="FILE", help="also draw where the model looked, such as map.svg or map.png")
    asked.set_defaults(run=translate_command)
    chosen = parser.parse_args(arguments)
    try:
        chosen.run(chosen)
    except BrokenPipeError:    # the reader of a pipe (head, less) has seen enough
        sys.stderr.close()
    except OSError as error:
        file = error.filename or getattr(chosen, "export", None) or getattr(chosen, "model", None)
        sys.exit(f"{parser.prog}: cannot write {file}: {error.strerror}")


if __name__ == "__main__":
    main()
