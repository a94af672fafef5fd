"""Sentences that people wrote: Multi30k, fetched when you ask for it or read from a
folder.

Nothing is fetched unless `fetch` is called, from one pinned address, and every file
must have its checksum. What is fetched stays in the user's cache; nothing of it is in
the package.
"""

import gzip
import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
import zlib
from contextlib import closing
from pathlib import Path
from unicodedata import normalize

from tqdm import tqdm

from softdict.runtime import ASSETS
from softdict.texts.files import cache_folder

# github.com/multi30k/dataset, task 1, raw text; no licence file: for research and study
ADDRESS = ("https://raw.githubusercontent.com/multi30k/dataset/"
           "a3d2e0d26b56f3846f66a952536ffed4e401d05a/data/task1/raw/")
LANGUAGES = "de", "en", "fr"
SIZES = {"train": 29_000, "val": 1_014, "test_2016_flickr": 1_000,
         "test_2017_flickr": 1_000, "test_2017_mscoco": 461}
SECONDS = 30    # without a byte


def checksums():
    """The SHA-256 of each file of Multi30k, by name."""
    rows = (ASSETS / "multi30k.sha256").read_text("utf-8").splitlines()
    return {name: digest for digest, name in map(str.split, rows)}


def file_name(split, language):
    """The name of a file of Multi30k; ValueError for a split or language it lacks."""
    if split not in SIZES:
        raise ValueError(f"Multi30k has no split {split!r}; it has {', '.join(SIZES)}")
    if language not in LANGUAGES:
        raise ValueError(f"Multi30k is fetched in {', '.join(LANGUAGES)}; got "
                         f"{language!r}")
    return f"{split}.{language}.gz"


# Fetching


def fetch(languages=("de", "en"), folder=None, address=ADDRESS):
    """Fetches Multi30k in these languages, where it is not there yet; returns a folder.

    the folder is one of the user's cache, or the one that is named
    an interrupted download goes on where it was
    raises ValueError for a file that is not the pinned one, OSError where the address
    cannot be reached or the disk is full, with one sentence
    """
    folder = Path(folder or cache_folder() / "multi30k")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = checksums()
    for split in SIZES:
        for language in languages:
            name = file_name(split, language)
            if not is_whole(folder / name, wanted[name]):
                fetch_file(address + name, folder / name, wanted[name])
    return folder


def is_whole(path, digest):
    """Whether a file is there and has this SHA-256."""
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def fetch_file(address, path, digest):
    """One file, by way of NAME.part: it gets its name when its checksum is right.

    raises OSError where it cannot be fetched, ValueError for another checksum
    """
    part = path.with_name(f"{path.name}.part")
    try:
        download(address, part)
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError,
            ConnectionError) as error:
        raise OSError(None, f"{path.name} could not be fetched: "
                      f"{getattr(error, 'reason', error)}. What has come is kept; the "
                      "same call goes on, or read the files from a folder", address
                      ) from None
    if not is_whole(part, digest):
        part.unlink()
        raise ValueError(f"{path.name} from {address} is not the file that was pinned: "
                         "its SHA-256 differs. Nothing of it was kept")
    os.replace(part, path)


def download(address, part):
    """Adds to a file what it lacks of an address; IncompleteRead if it ends early."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"Range": f"bytes={have}-"}
                                     if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=SECONDS)
    except urllib.error.HTTPError as error:
        if error.code == 416:    # there is no more: the checksum decides
            return
        raise
    with closing(answer):
        goes_on = answer.status == 206
        total = have * goes_on + int(answer.headers.get("Content-Length") or 0)
        with open(part, "ab" if goes_on else "wb") as file, tqdm(
                total=total, initial=have * goes_on, unit="B", unit_scale=True,
                desc=part.name.removesuffix(".part")) as bar:
            while block := answer.read(2 ** 16):
                file.write(block)
                bar.update(len(block))
        if part.stat().st_size < total:
            raise http.client.IncompleteRead(b"")


# Reading


def sentences(path):
    """The lines of a UTF-8 file, packed by gzip or not, as they are: a line ends at a
    line feed and nowhere else.

    raises ValueError, with one sentence, for a file that is damaged or not UTF-8
    """
    path = Path(path)
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise ValueError(f"{path.name} is damaged: it cannot be unpacked") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[:error.start].count(b"\n") + 1
        raise ValueError(f"{path.name}, line {line}: this is not UTF-8") from None
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def multi30k(split, source="de", target="en", folder=None):
    """Pairs (source sentence, target sentence) of Multi30k, as they were written.

    folder holds the files, packed (train.de.gz) or not (train.de); without one, it is
    where `fetch` put them
    raises ValueError, with one sentence, where files are missing or do not fit
    """
    folder, sides = Path(folder or cache_folder() / "multi30k"), []
    for name in [file_name(split, language) for language in (source, target)]:
        found = [path for path in (folder / name, folder / name.removesuffix(".gz"))
                 if path.is_file()]
        if not found:
            raise ValueError(f"{folder} has no {name}; softdict.texts.real_text.fetch("
                             f"{(source, target)}) fetches it, or name a folder that "
                             "has it")
        sides.append(sentences(found[0]))
    if len(sides[0]) != len(sides[1]):
        raise ValueError(f"{split}: {len(sides[0])} sentences in {source} and "
                         f"{len(sides[1])} in {target}; line by line they must fit")
    for number, pair in enumerate(zip(*sides), start=1):
        if not all(map(str.strip, pair)):
            raise ValueError(f"{split}, line {number}: a sentence is empty")
    return list(zip(*sides))


# Splitting


def folded(sentence):
    """A sentence without what does not make it another one: case, signs, blanks."""
    text = normalize("NFC", sentence).casefold()
    return " ".join(re.findall(r"\w+", text))


def split_by_source(pairs, share=10):
    """Pairs to train on and pairs to test with: a source sentence is on one side only.

    one in `share` source sentences is for the test, with all its translations
    """
    def is_test(source):
        digest = hashlib.sha256(folded(source).encode("utf-8")).digest()
        return int.from_bytes(digest[:8], "big") % share == 0

    sides = [], []
    for pair in pairs:
        sides[is_test(pair[0])].append(pair)
    return sides


def leak(training, test):
    """The share of the test's source sentences that the training has, too."""
    seen = {folded(source) for source, _ in training}
    return sum(folded(source) in seen for source, _ in test) / len(test)
