"""pieces: what a plain loop of byte-pair encoding makes, without loss, and read again
from its own files alone."""

import json
import re
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from softdict.subwords import BYTES, CHUNKS, load_subwords, subword_data, train_subwords
from softdict.vocab import SPECIALS

SENTENCES = ["Ein Hund rennt.", "Ein Hund schläft.", "Two dogs ran, 10 dogs ran.",
             "a\u00a0b  c<0x41> ▁", "The dogs!!"]
FEW = train_subwords(SENTENCES, 60)
texts = st.text(st.characters(exclude_categories=["Cs"]))
words = st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=12)
many = settings(max_examples=300, deadline=None)


def merges_of(pieces):
    model = json.loads(pieces.tokenizer.to_str())["model"]
    return list(map(tuple, model["merges"]))


@many
@given(st.lists(texts, max_size=3), texts)
@example([], "")
@example([], " ")
@example(["  a  b"], "  a  b ")
@example(["<0x41> <0x41>", "<0xE2> <0xE2>"], "<0x41><0xE2><0xe2>")
@example(["<unk> <unk> <pad>"], "<unk> <bos>")
@example(["▁▁ ▁▁"], "▁a ▁▁")
@example(["\0\x01\r\n\t\x85\u2028"] * 2, "\0\x01 \r\n\t\x7f\x85\u2028\ufeff\U0010ffff")
@example(["e\u0301 e\u0301"], "\u00e9 e\u0301 \u0301")
def test_any_text_comes_back_whatever_was_learned(learned, text):
    pieces = train_subwords(learned, 10_000)
    for sentence in [text, *learned]:
        cut = pieces.tokenize(sentence)
        assert pieces.join(cut) == sentence
        assert all(piece in pieces.vocab() for piece in cut)


def by_loop(words, size):
    """Byte-pair encoding in plain loops: pieces, merges, and each word cut.

    of pairs that are seen as often, the one with the older pieces is first
    """
    pieces = sorted({letter for word in words for letter in word})
    cut, merges = {word: list(word) for word in words}, []
    while len(pieces) < size:
        counts = Counter(pair for word in words for pair in zip(cut[word],
                                                                cut[word][1:]))
        pair = min(counts, default=None, key=lambda pair: (
            -counts[pair], *map(pieces.index, pair)))
        if counts[pair] < 2:
            break
        merges.append(pair)
        if "".join(pair) not in pieces:
            pieces.append("".join(pair))
        for word, parts in cut.items():
            cut[word] = []
            while parts:
                count = 2 if tuple(parts[:2]) == pair else 1
                cut[word].append("".join(parts[:count]))
                parts = parts[count:]
    return pieces, merges, cut


@many
@given(words, st.integers(6, 25))
def test_merges_are_those_of_a_plain_loop(words, size):
    learned = train_subwords([" ".join(words)], size)
    pieces, merges, cut = by_loop([f" {word}" for word in words], size)
    assert learned.vocab().words == [*SPECIALS, *pieces, *BYTES]
    assert merges_of(learned) == merges
    for word in words:
        assert learned.tokenize(word) == cut[f" {word}"]


@many
@given(st.lists(st.text("aä1 .!-\n한\u0301", max_size=9), min_size=1, max_size=6))
def test_no_piece_goes_beyond_a_word_a_digit_or_signs(sentences):
    for sentence in sentences:
        assert len(re.findall(r"\d", sentence)) <= sum(
            piece.strip().isdigit() for piece in FEW.tokenize(sentence))
    for piece in train_subwords(sentences * 2, 1000).vocab().words[len(SPECIALS):]:
        if piece not in BYTES:
            # Python's own \w takes letters, marks have their own class
            kinds = {"letter" if letter.isalpha() or letter == "\u0301" else
                     "digit" if letter.isdigit() else "sign"
                     for letter in piece.removeprefix(" ")}
            assert len(kinds) <= 1 and not re.search(r"\d\d|.\s", piece)


def test_what_chunks_are():
    assert CHUNKS.count("|") == 3
    text = "Don't pay 12.50!!  Ja"
    cut = train_subwords([text] * 9, 1000).tokenize(text)
    assert cut == [" Don", "'", "t", " pay", " 1", "2", ".", "5", "0", "!!", " ", " Ja"]


def test_a_pair_that_is_seen_once_stays_a_pair():
    assert train_subwords(["ab"], 100).tokenize("ab") == [" ", "a", "b"]
    assert train_subwords(["ab", "ab"], 100).tokenize("ab") == [" ab"]
    assert train_subwords(["xab", "ab"], 100).tokenize("ab") == [" ", "ab"]


def test_what_no_piece_has_is_written_in_bytes():
    assert FEW.tokenize("é") == [" ", "<0xC3>", "<0xA9>"]
    assert FEW.join(["<0xC3>", "<0xA9>"]) == "é"
    assert FEW.join([" a", "<0xC3>", "b"]) == "a\ufffdb"    # half a character
    assert FEW.join([]) == ""


@pytest.mark.parametrize("size, there", [(20, 20), (28, 28), (29, 28), (10_000, 28)])
def test_there_are_as_many_as_asked_for_or_fewer(size, there):
    vocab = train_subwords(["one two three, one two three, four, 12"] * 2, size).vocab()
    count = len(vocab) - len(SPECIALS) - len(BYTES)
    assert count == there
    assert vocab.words[-len(BYTES):] == BYTES


@pytest.mark.parametrize("size, message", [
    (3, "^3 pieces are too few: the training has 4 characters, and each is a piece$"),
    (999_999_999, "^999999999 pieces are too many; 1000000 is the most$")])
def test_a_size_that_cannot_be_is_refused(size, message):
    with pytest.raises(ValueError, match=message):
        train_subwords(["abc"], size)
    assert len(train_subwords(["abc"], 4).vocab()) == 4 + 4 + 256


def test_the_same_text_gives_the_same_pieces():
    first, second = (train_subwords(SENTENCES * 9, 200) for _ in range(2))
    assert first.tokenizer.to_str() == second.tokenizer.to_str()


# Files


@pytest.fixture
def file(tmp_path):
    FEW.save(tmp_path / "pieces.json")
    return tmp_path / "pieces.json"


def test_pieces_come_back_from_their_file(file):
    again = load_subwords(file)
    assert again.tokenizer.to_str() == FEW.tokenizer.to_str()
    assert again.vocab().fingerprint() == FEW.vocab().fingerprint()
    assert again.tokenize(SENTENCES[3]) == FEW.tokenize(SENTENCES[3])
    assert [path.name for path in file.parent.iterdir()] == ["pieces.json"]


def test_editors_that_change_the_ends_of_lines_do_no_harm(file):
    content = file.read_bytes()
    assert b"\n" in content
    file.write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert load_subwords(file).tokenizer.to_str() == FEW.tokenizer.to_str()


def test_of_a_file_only_pieces_and_merges_are_read(file):
    """What else a tokenizer could do is done to none of the texts."""
    content = json.loads(file.read_text("utf-8"))
    content |= {"normalizer": {"type": "Lowercase"}, "decoder": None,
                "truncation": {"max_length": 1, "stride": 0, "direction": "Right",
                               "strategy": "LongestFirst"},
                "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a|a)*b("},
                                  "behavior": "Removed", "invert": False}}
    content["model"] |= {"dropout": 0.9, "byte_fallback": False, "unk_token": "a"}
    file.write_text(json.dumps(content), "utf-8")
    assert load_subwords(file).tokenizer.to_str() == FEW.tokenizer.to_str()


def changed(content, **parts):
    return content | {"model": content["model"] | parts}


def without(vocab, piece):
    left = sorted(vocab.keys() - {piece}, key=vocab.get)
    return {piece: number for number, piece in enumerate(left)}


DAMAGED = {
    "empty": lambda content: "", "cut short": lambda content: json.dumps(content)[:-9],
    "deep": lambda content: "[" * 100_000, "long": lambda content: "9" * 5000,
    "not UTF-8": lambda content: b"\xff\xfe{}", "zeros": lambda content: b"\0" * 99}
FOREIGN = {
    "a list": lambda content: [], "no model": lambda content: {"version": "1.0"},
    "another kind": lambda content: changed(content, vocab=[["a", -1.5]]),
    "no merges": lambda content: {"model": {"vocab": content["model"]["vocab"]}},
    "merges lost": lambda content: changed(content,
                                           merges=content["model"]["merges"][:-1]),
    "merges of unknown pieces": lambda content: changed(content, merges=[["é", "é"]]),
    "merges as text": lambda content: changed(
        content, merges=list(map(" ".join, content["model"]["merges"]))),
    "merges of three": lambda content: changed(content, merges=[["a", "b", "c"]]),
    "no byte": lambda content: changed(content, vocab=without(
        content["model"]["vocab"], "<0x41>")),
    "another byte": lambda content: changed(content, vocab={
        "é" if piece == "<0x41>" else piece: number
        for piece, number in content["model"]["vocab"].items()}),
    "a number twice": lambda content: changed(
        content, vocab=content["model"]["vocab"] | {"a": 0}),
    "a number too large": lambda content: changed(
        content, vocab=content["model"]["vocab"] | {"<0xFF>": 2 ** 70}),
    "a number below zero": lambda content: changed(
        content, vocab=content["model"]["vocab"] | {"a": -1}),
    "no numbers": lambda content: changed(content, vocab=dict.fromkeys(
        content["model"]["vocab"])),
    "half a character": lambda content: changed(content, vocab={
        "\ud800" if piece == "a" else piece: number
        for piece, number in content["model"]["vocab"].items()})}


@pytest.mark.parametrize("name", [*DAMAGED, *FOREIGN])
def test_another_file_is_refused(file, name):
    content = (DAMAGED | FOREIGN)[name](json.loads(file.read_text("utf-8")))
    if not isinstance(content, (str, bytes)):
        content = json.dumps(content)
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    message = ("pieces.json is damaged: it is no JSON in UTF-8$" if name in DAMAGED and
               name != "long" else "pieces.json is (damaged|not what train writes)")
    with pytest.raises(ValueError, match=f"^{message}") as refusal:
        load_subwords(file)
    assert "\n" not in str(refusal.value) and len(str(refusal.value)) < 200


def test_a_file_that_is_not_there_is_said_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_subwords(tmp_path / "pieces.json")


# Pairs


TRAINING = [(f"Ein Hund {k}", f"A dog {k}") for k in range(9)] + [("x " * 30, "y")]


def test_pairs_of_pieces():
    validation = [("Ein Hund", "A dog"), ("Zwei", "z " * 30)]
    (training, validation, source, target, notes), pieces = subword_data(
        TRAINING, validation, 40, max_length=20)
    assert training == [(pieces.tokenize(one), pieces.tokenize(two))
                        for one, two in TRAINING[:-1]]
    assert validation == [(pieces.tokenize("Ein Hund"), pieces.tokenize("A dog"))]
    assert source is target and source.words == pieces.vocab().words
    assert notes == [
        "1 pair for training left out, with more than 20 pieces (--max-length)",
        "1 pair for validation left out, with more than 20 pieces (--max-length)",
        "9 pairs for training, 1 for validation",
        f"{len(source)} pieces, the same for both languages"]
    assert len(subword_data(TRAINING, validation, 40)[0][0]) == len(TRAINING)


def test_pairs_in_small_letters_are_cut_into_small_pieces():
    pairs = [("Der HUND \u0130", "THE Dog"), ("Der Hund", "The dog")] * 2
    small = [tuple(map(str.lower, pair)) for pair in pairs]
    (training, validation, vocab, *_), pieces = subword_data(pairs, pairs, 40,
                                                          lowercase=True)
    same, others = subword_data(small, small, 40)
    assert [training, validation, vocab.words] == [*same[:2], same[2].words]
    assert pieces.tokenizer.to_str() == others.tokenizer.to_str()
    assert "D" not in vocab and "D" in subword_data(pairs, pairs, 40)[0][2]


def test_the_longest_pair_has_just_as_many_pieces():
    pairs = [("Ein Hund", "Two dogs"), ("Ein", "Two")]
    pieces = train_subwords([text for pair in pairs for text in pair], 60)
    longest = max(len(pieces.tokenize(text)) for text in pairs[0])
    assert len(subword_data(pairs, pairs, 60, longest)[0][0]) == 2
    assert len(subword_data(pairs, pairs, 60, longest - 1)[0][0]) == 1


def test_nothing_is_learned_from_the_validation():
    pieces = [subword_data(TRAINING, validation, 60)[1] for validation in (
        [("Ein", "A")], [("Ein zebra zebra", "A zebra ü")] * 9)]
    assert pieces[0].tokenizer.to_str() == pieces[1].tokenizer.to_str()
    assert "ü" not in pieces[1].vocab()


@pytest.mark.parametrize("training, validation, message", [
    (TRAINING[-1:], TRAINING, "every pair for training has more than 20 pieces; a "
     "larger --max-length takes them in"),
    (TRAINING, TRAINING[-1:], "every pair for validation has more than 20 pieces")])
def test_too_little_is_refused_with_a_way_out(training, validation, message):
    with pytest.raises(ValueError, match=message):
        subword_data(training, validation, 40, max_length=20)
