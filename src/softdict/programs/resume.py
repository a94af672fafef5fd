"""A training in a folder that can be interrupted: what the folder may hold, and how the
same command goes on."""

import sys
from pathlib import Path

from softdict.programs import distributed
from softdict.programs.flags import RUN
from softdict.programs.stopping import BEST
from softdict.saving.checkpoint import ASIDE, CorruptFile, begin_anew, load, set_aside
from softdict.saving.folder import CONFIG, UNFINISHED, WEIGHTS, check_name

TRAINED = WEIGHTS, "model.safetensors"    # of a translator, of a language model


def check_folder(folder):
    """Refuses by ValueError a folder that is not new, empty or an unfinished
    training."""
    folder = Path(folder)
    check_name(folder)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; a model needs a folder of its own")
    # parts are left by a process that was killed, hidden files by the system
    aside = tuple(f"{name}{ASIDE}" for name in (UNFINISHED, *BEST.values()))
    names = {file.name for file in folder.iterdir()
             if not file.name.startswith((".", *aside))
             and not file.name.endswith(".part")} if folder.exists() else set()
    names -= {RUN, *BEST.values()}
    if UNFINISHED in names or not names:
        return
    if CONFIG in names and names.intersection(TRAINED):
        raise ValueError(f"{folder} holds a trained model already; name a new folder "
                         "with --out, or delete this one")
    raise ValueError(f"{folder} holds other files; a model needs a folder of its own, "
                     "a new one or an empty one")


def warn(message):
    """Says it where the results of a command do not go."""
    print(message, file=sys.stderr)


def resume(state, folder, data, other, metric=None, say=warn):
    """Puts a training where an interruption left it, if there was one.

    data and other name in a sentence what it learns from, and what it does not
    metric: the best weights by it, and by no other, must be there
    a damaged file of it is named, and the training begins anew: it and the best
    weights are renamed, as are best weights without a training
    raises ValueError for an unfinished training that is another one
    """
    path = folder / UNFINISHED
    kept = [name for name, file in BEST.items() if (folder / file).exists()]
    if not path.exists():
        if distributed.first():
            for name in kept:    # another training would take them for its own
                say(f"{BEST[name]} lies there without an unfinished training: the "
                    "training begins anew, and the file is kept as "
                    f"{set_aside(folder / BEST[name]).name}")
        return
    try:
        if kept != [metric] * bool(metric):
            raise ValueError(
                f"it keeps {best_by(kept)}, and this command {best_by([metric])} "
                "(--metric, --patience)")
        load(state, path)
    except CorruptFile as error:
        if distributed.together():    # another process may be reading it
            raise
        say(begin_anew(path, error))
        for name in kept:
            set_aside(folder / BEST[name])
    except ValueError as error:
        reason = str(error).replace("another vocabulary", other)
        raise ValueError(
            f"{folder} holds an unfinished training that this command cannot go on "
            f"with: {reason}. Begin it as it was begun, with the same {data}; or name "
            "a new folder with --out, or delete this one") from None


def best_by(metrics):
    """Which weights a training keeps, in words."""
    return f"the best weights by {metrics[0]}" if any(metrics) else "the last weights"


def remove(folder, *names):
    """Deletes those of the files that are there."""
    for name in names:
        (folder / name).unlink(missing_ok=True)
