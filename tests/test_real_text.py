"""Text as found: fetched from a local server, read, and split without a leak."""

import gzip
import hashlib
import os
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from softdict.texts import real_text
from softdict.texts.own_text import read_pairs

# whoever has the corpora on disk names their folder, or lays it beside the repository
DATA = Path(os.environ.get("SOFTDICT_DATA") or
            Path(__file__).resolve().parents[2] / "shared/data")
needs_data = pytest.mark.skipif(not (DATA / "multi30k").exists(),
                                reason="the corpora are not on this machine")
LINES = {"de": "Zwei Hunde.\nEin\u00a0Mann \tgeht.\n",
         "en": "Two dogs.\nA man walks.\n"}


def packed(language, split):
    return gzip.compress(f"{split}\n{LINES[language]}".encode(), mtime=0)


FILES = {real_text.file_name(split, language): packed(language, split)
         for split in real_text.SIZES for language in LINES}


class Handler(BaseHTTPRequestHandler):
    """Serves FILES, goes on where a Range says, and can break off."""

    def do_GET(self):
        server, name = self.server, self.path.strip("/")
        server.asked.append((name, self.headers.get("Range")))
        content = server.files.get(name)
        if content is None:
            return self.send_error(404)
        start = 0
        if (wanted := self.headers.get("Range")) and server.ranges:
            start = int(wanted.removeprefix("bytes=").partition("-")[0])
            if start >= len(content):
                return self.send_error(416)
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = server.breaks.pop(name, len(content))
        self.wfile.write(content[start:end])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(monkeypatch):
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.files, made.asked, made.breaks, made.ranges = dict(FILES), [], {}, True
    threading.Thread(target=made.serve_forever, daemon=True).start()
    monkeypatch.setattr(real_text, "checksums", lambda *given, **more: {
        name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()})
    made.address = f"http://127.0.0.1:{made.server_port}/"
    yield made
    made.shutdown()
    made.server_close()


def test_what_is_fetched_is_read_and_not_fetched_again(tmp_path, server):
    folder = real_text.fetch(folder=tmp_path, address=server.address)
    assert len(server.asked) == len(FILES) == 10
    assert sorted(file.name for file in folder.iterdir()) == sorted(FILES)
    pairs = real_text.multi30k("val", folder=folder)
    assert pairs == [("val", "val"), ("Zwei Hunde.", "Two dogs."),
                     ("Ein\u00a0Mann \tgeht.", "A man walks.")]
    real_text.fetch(folder=tmp_path, address=server.address)
    assert len(server.asked) == 10
    (tmp_path / "val.de.gz").write_bytes(b"damaged")
    real_text.fetch(folder=tmp_path, address=server.address)
    assert server.asked[10:] == [("val.de.gz", None)]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_broken_download_goes_on_where_it_was(tmp_path, server, ranges):
    server.breaks, server.ranges = {"train.de.gz": 20}, ranges
    with pytest.raises(OSError, match="train.de.gz could not be fetched: .*kept"):
        real_text.fetch(folder=tmp_path, address=server.address)
    assert (tmp_path / "train.de.gz.part").stat().st_size == 20
    assert not (tmp_path / "train.de.gz").exists()
    real_text.fetch(folder=tmp_path, address=server.address)
    assert ("train.de.gz", "bytes=20-") in server.asked
    assert (tmp_path / "train.de.gz").read_bytes() == FILES["train.de.gz"]
    assert not list(tmp_path.glob("*.part"))


def test_a_part_that_is_whole_or_too_long_ends_well(tmp_path, server):
    (tmp_path / "train.de.gz.part").write_bytes(FILES["train.de.gz"])
    (tmp_path / "train.en.gz.part").write_bytes(FILES["train.en.gz"] + b"more")
    with pytest.raises(ValueError, match="train.en.gz .* SHA-256 differs"):
        real_text.fetch(folder=tmp_path, address=server.address)
    assert (tmp_path / "train.de.gz").exists()
    real_text.fetch(folder=tmp_path, address=server.address)


def test_another_file_than_the_pinned_one_is_refused(tmp_path, server):
    server.files["val.en.gz"] = packed("en", "forged")
    with pytest.raises(ValueError, match="val.en.gz .* is not the file that was "):
        real_text.fetch(folder=tmp_path, address=server.address)
    assert not list(tmp_path.glob("val.en*"))


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/", "http://name.invalid/"])
def test_offline_is_one_sentence(tmp_path, address):
    with pytest.raises(OSError, match="train.de.gz could not be fetched: .*folder"):
        real_text.fetch(folder=tmp_path, address=address)


def test_a_missing_page_and_a_full_disk_are_said(tmp_path, server, monkeypatch):
    del server.files["train.de.gz"]
    with pytest.raises(OSError, match="could not be fetched: Not Found"):
        real_text.fetch(folder=tmp_path, address=server.address)
    server.files = dict(FILES)
    if not Path("/dev/full").exists():
        return
    os.symlink("/dev/full", tmp_path / "train.de.gz.part")
    with pytest.raises(OSError, match="No space left"):
        real_text.fetch(folder=tmp_path, address=server.address)


def written(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.parametrize("files, words", [
    ({"val__de": "a\nb\n"}, "has no val.en.gz"),
    ({"val__de": "a\nb\n", "val__en": "a\n"}, "2 sentences in de and 1 in en"),
    ({"val__de": "a\n \n", "val__en": "a\nb\n"}, "line 2: a sentence is empty"),
    ({"val__de": "a\n\xe4\n".encode("latin-1"), "val__en": "a\nb\n"},
     "val.de, line 2: this is not UTF-8"),
    ({"val__de__gz": gzip.compress(b"a\n")[:-6], "val__en": "a\n"},
     "val.de.gz is damaged")])
def test_files_that_do_not_fit_are_refused_in_a_sentence(tmp_path, files, words):
    with pytest.raises(ValueError, match=words):
        real_text.multi30k("val", folder=written(tmp_path, **files))


def test_another_split_or_language_is_refused():
    with pytest.raises(ValueError, match="no split 'test'; it has train"):
        real_text.multi30k("test")
    with pytest.raises(ValueError, match="fetched in de, en, fr; got 'ko'"):
        real_text.multi30k("val", target="ko")


def test_a_line_ends_at_a_line_feed_and_nowhere_else(tmp_path):
    text = "a\u2028b\x0bc\x85d\n\u00a0e \r\n"
    assert real_text.sentences(written(tmp_path, x__txt=text) / "x.txt") == [
        "a\u2028b\x0bc\x85d", "\u00a0e \r"]


@needs_data
def test_the_real_files_have_the_pinned_checksums_and_sizes():
    for name, digest in real_text.checksums().items():
        assert real_text.is_whole(DATA / "multi30k" / name, digest), name
    for split, size in real_text.SIZES.items():
        assert len(real_text.multi30k(split, "en", "fr", DATA / "multi30k")) == size


@needs_data
def test_no_test_pair_of_multi30k_is_in_its_training():
    training = real_text.multi30k("train", folder=DATA / "multi30k")
    assert real_text.leak(training, real_text.multi30k(
        "test_2016_flickr", folder=DATA / "multi30k")) == 0


@needs_data
def test_a_random_split_of_tatoeba_leaks_and_a_split_by_source_does_not():
    pairs, _ = read_pairs(DATA / "tatoeba-eng-kor/kor.txt", str.strip)
    shuffled = random.Random(0).sample(pairs, len(pairs))
    assert real_text.leak(shuffled[383:], shuffled[:383]) > 0.1
    training, test = real_text.split_by_source(pairs)
    assert real_text.leak(training, test) == 0
    assert len(training) + len(test) == len(pairs) and 250 < len(test) < 550


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), min_size=1))
def test_a_source_is_on_one_side_whatever_it_is(pairs):
    training, test = real_text.split_by_source(pairs, share=2)
    assert sorted(training + test) == sorted(pairs)
    assert not test or real_text.leak(training, test) == 0
    assert real_text.split_by_source(pairs[::-1], share=2)[1] == test[::-1]
