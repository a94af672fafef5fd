"""python -m softdict: what the package does from a command line."""

import argparse
import os
import sys

from softdict.corpus import SPLITS
from softdict.programs import commands
from softdict.programs.flags import add_flags, seed_number, whole_number


class Parser(argparse.ArgumentParser):
    """A parser that refuses wrong arguments with one sentence."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def command_line():
    """The parser of all commands."""
    parser = Parser(prog="python -m softdict",
                    description="The code of the book From Dictionary to Transformer.")
    names = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_corpus(names)
    add_translate(names)
    add_train(names)
    add_write(names)
    add_grade(names)
    return parser


def add_corpus(names):
    corpus = names.add_parser(
        "corpus", help="show or write the embedded English-Korean corpus",
        description="Shows pairs of the embedded corpus, or writes its splits as "
                    "files.")
    corpus.add_argument("--split", choices=list(SPLITS), metavar="NAME",
                        help=f"one of {', '.join(SPLITS)} (default iid)")
    corpus.add_argument("--show", type=whole_number, default=5, metavar="N",
                        help="how many pairs to print (default 5)")
    corpus.add_argument("--export", metavar="DIR",
                        help="write all splits, or the one named, as TSV files")
    corpus.set_defaults(run=commands.show_corpus)


def add_translate(names):
    asked = names.add_parser(
        "translate", help="translate a sentence",
        description="Translates a sentence: from the book's English into Korean with "
                    "the trained Transformer of the package, or with a model that "
                    "train made.")
    asked.add_argument("sentence", nargs="+", metavar="WORD",
                       help="the sentence, with or without quotation marks")
    asked.add_argument("--model", metavar="DIR",
                       help="the folder of a model, or the name of one of the book's "
                            "(default: the Transformer that comes with the package)")
    asked.add_argument("--register", choices=("formal", "polite", "plain"),
                       help="how the Korean addresses its reader (default polite)")
    asked.add_argument("--figure", metavar="FILE",
                       help="also draw where the model looked, such as map.svg or "
                            "map.png")
    asked.set_defaults(run=commands.translate)


def add_train(names):
    trained = names.add_parser(
        "train", help="train a model on the book's corpus, your own pairs or a text",
        description="Trains one of the book's models, or with --text a language "
                    "model; the same command goes on after an interruption.")
    add_flags(trained)
    trained.set_defaults(run=commands.train)
    options = trained.format_help
    trained.format_help = lambda: f"{options()}\nmodels:\n{model_lines()}\n"


def add_write(names):
    asked = names.add_parser(
        "write", help="go on from a text",
        description="Prints a text and what a language model writes behind it: a "
                    "model that train --text made, or a GPT-2 or Llama that the "
                    "library transformers saved, with its tokenizer.json.")
    asked.add_argument("text", nargs="+", metavar="WORD",
                       help="the text, with or without quotation marks")
    asked.add_argument("--model", required=True, metavar="DIR",
                       help="the folder of the model")
    for name, kind, default, words in (
            ("count N", whole_number, 200, "how many pieces to write, at most (default "
             "200)"),
            ("temperature R", float, 0.8, "below 1 likely pieces come more often; 0 "
             "takes the likeliest (default 0.8)"),
            ("top-k N", whole_number, None, "draw from the N likeliest alone"),
            ("top-p R", float, None, "draw from the likeliest alone that share R of "
             "the probability"),
            ("min-p R", float, None, "leave out what has less than R times the "
             "probability of the likeliest"),
            ("seed N", seed_number, None, "where chance starts (default: anew each "
             "time)")):
        name, kind_of = name.split()
        asked.add_argument(f"--{name}", type=kind, default=default, metavar=kind_of,
                           help=words)
    asked.set_defaults(run=commands.write)


def add_grade(names):
    graded = names.add_parser(
        "grade", help="grade what a class handed in",
        description="Runs each notebook shut in a process of its own, without tests "
                    "and network, and judges what its functions return. The same "
                    "command goes on after an interruption.")
    graded.add_argument("submissions", metavar="DIR",
                        help="the folder of submissions: notebooks, folders or zips")
    for name, kind, default, words in (
            ("assignment NAME", str, None, "a folder with questions.py, or its name in "
             "assignments/"),
            ("exercises NN", str, None, "or a chapter, whose published exercises are "
             "checked: practice, no examination"),
            ("roster FILE", str, "roster.csv", "a CSV with the column id, perhaps "
             "name, adjust (points to add) and platform (default roster.csv)"),
            ("out FILE", str, "grades.csv", "the table to write (default grades.csv); "
             "feedback and summary lie beside it"),
            ("seed N", seed_number, 0, "the variant of this class (default 0)"),
            ("seconds N", whole_number, 60, "what a notebook may take (default 60)"),
            ("memory MB", whole_number, 2048, "what it may use (default 2048)"),
            ("jobs N", whole_number, None, "how many at once (default: every core)"),
            ("scheduler ADDRESS", str, None, "give the work to a dask cluster"),
            ("merge FILE", str, None, "also write this CSV of Canvas or Moodle anew, "
             "with the points, and pack the feedback for it")):
        name, kind_of = name.split()
        graded.add_argument(f"--{name}", type=kind, default=default, metavar=kind_of,
                            help=words)
    graded.add_argument("--uncontained", action="store_true",
                        help="grade even where the system cannot shut answers in")
    graded.set_defaults(run=commands.grade)


def model_lines():
    """The book's models, a line each, for --help."""
    # it loads torch, which takes a second
    from softdict.saving.recipes import RECIPES

    return "\n".join(f"  {name:20}{recipe.words}" for name, recipe in RECIPES.items())


def main(arguments=None):
    """Runs one command; what goes wrong ends in one sentence and the exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # a terminal keeps its encoding; a file or a pipe gets what is always enough
            encoding = {} if stream.isatty() else {"encoding": "utf-8"}
            stream.reconfigure(**encoding, errors="backslashreplace")
    parser = command_line()
    chosen = parser.parse_args(arguments)
    prog = f"{parser.prog} {chosen.command}"
    try:
        chosen.run(chosen)
        print(end="", flush=True)
    except BrokenPipeError:    # the reader of a pipe (head, less) has seen enough
        mute()
    except OSError as error:
        mute()    # it may be the output itself that failed
        file = f"{error.filename}: " if error.filename else ""
        sys.exit(f"{prog}: {file}{error.strerror or error}")
    except (ValueError, ArithmeticError) as error:
        sys.exit(f"{prog}: {error}")
    except (MemoryError, RuntimeError) as error:
        if "memory" not in f"{type(error)} {error}".lower():
            raise
        sys.exit(f"{prog}: the memory is too small for this; a smaller --width, "
                 "--layers or --context-length, or a shorter sentence needs less")
    except KeyboardInterrupt:
        sys.exit("Stopped.")


def mute():
    """Sends what is still to be printed nowhere, if it cannot be printed."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
