"""python -m softdict: what the package does from a command line."""

import argparse
import sys

from softdict.corpus import SIZES, split, text
from softdict.corpus.export import block, export


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


def main(arguments=None):
    parser = Parser(prog="python -m softdict", description="The code of the book From Dictionary to Transformer.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    corpus = commands.add_parser("corpus", help="show or write the embedded English-Korean corpus",
                                 description="Shows pairs of the embedded corpus, or writes its splits as files.")
    corpus.add_argument("--split", choices=list(SIZES), metavar="NAME", help=f"one of {', '.join(SIZES)} (default iid)")
    corpus.add_argument("--show", type=whole_number, default=5, metavar="N", help="how many pairs to print (default 5)")
    corpus.add_argument("--export", metavar="DIR", help="write all splits, or the one named, as TSV files")
    corpus.set_defaults(run=corpus_command)
    chosen = parser.parse_args(arguments)
    try:
        chosen.run(chosen)
    except BrokenPipeError:    # the reader of a pipe (head, less) has seen enough
        sys.stderr.close()
    except OSError as error:
        sys.exit(f"{parser.prog}: cannot write {error.filename or chosen.export}: {error.strerror}")


if __name__ == "__main__":
    main()
