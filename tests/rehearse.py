"""Chapters on the second device: `python tests/rehearse.py 02 07`, or all of them.

Each cell runs as on a GPU that nobody has at hand. What a GPU would refuse for its
device ends the chapter with its cell and line.
"""

import sys
import time
import warnings

import second_device

from softdict import runtime


def main(wanted):
    """Runs the chapters whose names begin so; returns how many have stopped."""
    stopped = 0
    with second_device.present() as device:
        runtime.device = lambda: device
        import books

        book = books.Book()
        for name, notebook in book.notebooks.items():
            if wanted and not name.startswith(tuple(wanted)):
                continue
            start = time.time()
            try:
                books.run(name, notebook, book.recorder)
                word = "runs"
            except Exception as error:
                stopped += 1
                word = f"stops: {error.__notes__[-1]}, {type(error).__name__}: {error}"
            print(f"{name} {word} ({time.time() - start:.0f} s)", flush=True)
    return stopped


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main(sys.argv[1:]))
