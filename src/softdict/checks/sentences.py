"""The sentences of the checks: templates in the folder `says`, a file for a chapter.

An exercise's own table comes first, then `all` of its chapter, then `all` of
`shared.toml`, which the tools of several checks use.
"""

import functools
import tomllib
from pathlib import Path

FOLDERS = [Path(__file__).with_name("says")]    # another language is laid in front


class Word(str):
    """The key of a thing's name, which stands in a table `words`."""


@functools.cache
def tables(folder, name):
    """What a file says, or nothing if the folder has no such file."""
    file = folder / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.exists() else {}


def template(exercise, key, *names):
    """The text of a key in the first table that has it, of the names in each file.

    raises KeyError if none has it
    """
    for file in (exercise.partition("-")[0], "shared"):
        for name in names:
            for folder in FOLDERS:
                if text := tables(folder, file).get(name, {}).get(key):
                    return text
    raise KeyError(f"no sentence {key!r} for exercise {exercise}")


def sentence(exercise, key, /, **fields):
    """What a check says: the template of the key, filled in."""
    words = {name: template(exercise, word, "words") if isinstance(word, Word) else word
             for name, word in fields.items()}
    return template(exercise, key, exercise, "all").format(**words)
