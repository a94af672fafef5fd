"""Text that appears while it is written: its parts are the whole text, and each comes
as soon as nothing can change it."""

import random
import re
import signal
import subprocess
import sys

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from softdict.__main__ import main
from softdict.programs import writer
from softdict.programs.text_trainer import train_text
from softdict.programs.writer import load_writer
from softdict.subwords import BYTES, TextStream
from softdict.texts.long_text import characters, scan

SNOW = "☃".encode()


def own(letters="ab 사"):
    """Characters and single bytes, as `train` makes them, and two special ids."""
    tokenizer = Tokenizer(models.BPE(
        {piece: number for number, piece in enumerate([*letters, *BYTES])}, [],
        byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(["<s>"])
    tokenizer.add_tokens([AddedToken("<more>")])
    return tokenizer


def llama():
    """As Llama 2's: a blank is a sign, and the first one is no part of the text."""
    tokenizer = own("ab▁사")
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        decoders.Strip(" ", 1, 0)])
    return tokenizer


def gpt2():
    """As GPT-2's: each byte has a letter, and a piece may begin inside a character."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    table = pre_tokenizers.ByteLevel(add_prefix_space=False)
    table = [table.pre_tokenize_str(f"{text}")[0][0] for text in ("☃사", "é")]
    pieces = [*letters, table[0][:2], table[0][2:4], table[1], "ab", "Ġa"]
    tokenizer = Tokenizer(models.BPE(
        {piece: number for number, piece in enumerate(pieces)}, []))
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def words():
    """As BERT's: a piece that goes on with a word has two signs in front."""
    tokenizer = Tokenizer(models.WordPiece({"a": 0, "##b": 1, ",": 2, "[UNK]": 3},
                                           unk_token="[UNK]"))
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


KINDS = {kind.__name__: kind() for kind in (own, llama, gpt2, words)}


def parts_of(tokenizer, before, ids):
    stream = TextStream(tokenizer, before)
    return [*map(stream.add, ids), stream.rest()]


@pytest.mark.parametrize("name", KINDS)
def test_the_parts_are_what_all_ids_decode_to(name):
    """Ids at random, whole characters, broken ones, specials and unknown numbers."""
    tokenizer, chance = KINDS[name], random.Random(0)
    size = tokenizer.get_vocab_size()
    snow = [tokenizer.token_to_id(f"<0x{byte:02X}>") or 0 for byte in SNOW]
    for _ in range(600):
        ids = []
        while len(ids) < 14:
            ids += chance.choice([snow, snow[:2], [chance.randrange(size + 2)],
                                  [chance.randrange(min(4, size))]])
        before = ids[:chance.randrange(4)]
        parts = parts_of(tokenizer, before, ids[len(before):])
        whole = tokenizer.decode(ids)[len(tokenizer.decode(before)):]
        assert "".join(parts) == whole, ids
        # and each was in the text of what had come, and of all that may come
        assert "".join(parts[:-1]) == whole[:len("".join(parts[:-1]))]


def test_a_character_of_several_bytes_appears_when_it_is_whole():
    tokenizer = KINDS["gpt2"]
    by_byte = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ids = [tokenizer.token_to_id(letter)
           for piece, _ in by_byte.pre_tokenize_str("a☃b") for letter in piece]
    assert parts_of(tokenizer, [], ids) == ["a", "", "", "☃", "b", ""]
    tokenizer = KINDS["own"]
    snow = [tokenizer.token_to_id(f"<0x{byte:02X}>") for byte in SNOW]
    # a wrong byte behind it would make each of its bytes a sign of replacement
    assert parts_of(tokenizer, [0], [*snow, 1, 2]) == ["", "", "", "☃b", " ", ""]
    assert parts_of(tokenizer, [0], [*snow, snow[1]]) == ["", "", "", "\ufffd" * 3,
                                                          "\ufffd"]
    # a special id is no text, and bytes go on behind it
    special = tokenizer.token_to_id("<s>")
    assert parts_of(tokenizer, [0], [snow[0], special, *snow[1:]]) == [
        "", "", "", "", "☃"]
    # at the end nothing comes any more
    assert parts_of(tokenizer, [0], snow) == ["", "", "", "☃"]
    assert parts_of(tokenizer, [0], snow[:2]) == ["", "", "\ufffd\ufffd"]


def test_bytes_that_are_no_text_are_not_waited_for():
    tokenizer = KINDS["own"]
    wrong = tokenizer.token_to_id("<0x80>")
    parts = parts_of(tokenizer, [0], [wrong] * 50)
    assert all(map(len, parts[1:])) and "".join(parts) == "\ufffd" * 50


# The command


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model, barely trained: many of its pieces are single bytes."""
    out = tmp_path_factory.mktemp("stream")
    (out / "text.txt").write_text("The dog sees a cat.\n" * 60)
    train_text(out / "text.txt", out / "model", say=str, updates=3, batch_size=3,
               sizes={"width": 16, "heads": 2, "layers": 1, "hidden": 16,
                      "context_length": 12})
    return out / "model"


def command(model, *more):
    return [sys.executable, "-m", "softdict", "write", "The dog", "--model", str(model),
            "--seed", "1", *more]


def test_what_is_printed_is_what_is_written(model, capsys):
    for count in (1, 7, 60):
        parts = [*load_writer(model).stream("The dog", count, seed=1)]
        assert len(parts) > count / 2 and parts[0].startswith("The dog")
        main(command(model, "--count", str(count))[3:])
        assert capsys.readouterr().out == "".join(
            "\ufffd" if re.match(r"[\0-\x08\x0b-\x1f\x7f-\x9f]", letter) else letter
            for letter in "".join(parts)) + "\n"


def test_words_appear_before_the_last_is_written(model):
    stream = load_writer(model).stream("The dog", 10 ** 9, seed=1)
    assert next(stream).startswith("The dog") and len("".join(
        next(stream) for _ in range(20))) >= 20


def test_a_refusal_comes_before_any_word(model, capsys):
    for wrong in ("--temperature=-1", "--min-p=3", "--top-p=0"):
        with pytest.raises(SystemExit, match="must be|is a"):
            main(command(model, wrong)[3:])
        assert capsys.readouterr().out == ""


def test_control_signs_are_harmless_in_each_part(model, capsys, monkeypatch):
    monkeypatch.setattr(writer.Writer, "stream", lambda *given, **more: iter(
        ["The\n\t\x1b", "[2J\x07", "\x9b old \xa0é"]))
    main(command(model)[3:])
    assert capsys.readouterr().out == "The\n\t\ufffd[2J\ufffd\ufffd old \xa0é\n"


def test_an_interruption_keeps_what_was_written(model, capsys, monkeypatch):
    real = writer.stream

    def interrupted(*given, **more):
        for number, chosen in enumerate(real(*given, **more)):
            if number == 9:
                raise KeyboardInterrupt
            yield chosen

    monkeypatch.setattr(writer, "stream", interrupted)
    with pytest.raises(SystemExit, match="Stopped."):
        main(command(model, "--temperature", "0")[3:])
    output = capsys.readouterr().out
    assert output.endswith("\n") and len(output) > len("The dog\n")
    monkeypatch.setattr(writer, "stream", real)
    main(command(model, "--temperature", "0")[3:])
    assert capsys.readouterr().out.startswith(output[:-1])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_ctrl_c_and_head_end_an_endless_text(model):
    for end in (lambda run: run.send_signal(signal.SIGINT),
                lambda run: run.stdout.close()):
        with subprocess.Popen(command(model, "--count", "999999999"), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            assert run.stdout.read(40).startswith("The dog")
            end(run)
            said = run.stderr.read()
            rest = "" if run.stdout.closed else run.stdout.read()
        if rest:
            assert (rest[-1], said, run.returncode) == ("\n", "Stopped.\n", 1)
        else:
            assert (said, run.returncode) == ("", 0)


def test_survey_and_characters_make_such_a_tokenizer(tmp_path):
    (tmp_path / "text.txt").write_text("ab 사ab 사☃")
    counts, *_ = scan(tmp_path / "text.txt")
    tokenizer = characters(counts)
    ids = tokenizer.encode("a☃b").ids
    assert len(ids) == 5 and "".join(parts_of(tokenizer, ids[:1], ids[1:])) == "☃b"
