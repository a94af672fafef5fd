"""Writes what the Transformer in the page needs into a folder, for tools/build.py.

    python tools/live_data.py FOLDER

The modules of `web`; the weights, as the package keeps them but the tied matrix once;
words.json: the words of both languages, in letters and with their glosses, and how
Korean pieces run together; and the data of the live figures (figure_data.py).
"""

import json
import shutil
import sys
import zlib
from os.path import commonprefix
from pathlib import Path

import safetensors.torch
from environment import script
from figure_data import write_figures
from softdict import corpus
from softdict.corpus.morphology import attach
from softdict.corpus.reading import meanings
from softdict.programs.translator import bundled
from softdict.texts.files import write_whole
from softdict.vocab import SPECIALS

SPECIALS_SAY = "pad", "unknown", "beginning", "the end"    # for PAD, UNK, BOS, EOS
WEB = Path(__file__).resolve().parent.parent / "web"


def write_live(folder):
    """Copies the modules, and writes the weights and words.json, into `folder`."""
    folder, saved = Path(folder), bundled()
    folder.mkdir(parents=True, exist_ok=True)
    for file in WEB.iterdir():
        shutil.copy(file, folder)
    packed = packed_weights(saved.model)
    checksum = zlib.adler32(packed)
    # a new model has a new name: no cache may mix it with the old one's words
    name = f"weights-{checksum:08x}.safetensors"
    write_whole(folder / name, packed)
    text = json.dumps({"weights": name, "bytes": len(packed), "checksum": checksum,
                       **words(saved)}, ensure_ascii=False, separators=(",", ":"))
    write_whole(folder / "words.json", text.encode("utf-8"))
    write_figures(folder)


def packed_weights(model):
    """A Transformer's weights as the bytes of a safetensors file, in 16 bits.

    the generator's matrix is left out: it is the table of the target's embedding
    raises ValueError for a model in which it is another, or that needs more bits
    """
    if model.generator.weight is not model.decoder.embedding.table.weight:
        raise ValueError("the page's Transformer has a tied generator, and this has "
                         "a matrix of its own")
    weights = {name: numbers.detach().cpu()
               for name, numbers in model.state_dict().items()
               if name != "generator.weight"}
    halves = {name: numbers.half() for name, numbers in weights.items()}
    for name, numbers in weights.items():
        if not halves[name].float().equal(numbers):
            raise ValueError(f"{name} does not fit into 16 bits")
    return safetensors.torch.save(halves)


def words(saved):
    """Sizes of the model, its words, and what a reader needs of them, as a dict."""
    model, korean = saved.model, saved.target_vocab.words
    glosses, others = meanings()
    return {
        "heads": model.encoder.layers[0].self_attention.heads,
        "layers": len(model.encoder.layers),
        "width": model.encoder.embedding.table.embedding_dim,
        "maxSourceLength": saved.config.max_source_length,
        "source": saved.source_vocab.words, "target": korean,
        "letters": [corpus.romanise(form) for form in korean],
        "glosses": [*SPECIALS_SAY, *(glosses[form] for form in korean[len(SPECIALS):])],
        "others": {form: behind for form, behind in others.items() if form in korean},
        "joins": joins(korean[len(SPECIALS):])}


def joins(forms):
    """How an ending changes what it is attached to, as {ending: {piece: [cut, more]}}:
    so many letters of the piece fall away, and `more` comes behind the rest.

    where it is only put behind, there is no entry
    """
    endings, found = [form for form in forms if form[:1] == "-" and form != "-"], {}
    for tail in endings:
        for form in forms:
            stem = form.removeprefix("-") or form
            joined = attach(stem, stem, tail[1:])
            if joined != stem + tail[1:]:
                same = len(commonprefix([stem, joined]))
                found.setdefault(tail, {})[form] = [len(stem) - same, joined[same:]]
    return found


if __name__ == "__main__":
    with script():
        write_live(sys.argv[1])
