"""own_text: words and lines, pairs from files, and what is said of them."""

import re
from unicodedata import normalize

import pytest

from softdict.corpus import split
from softdict.corpus.export import export
from softdict.texts.own_text import (
    as_read, held_out, join_words, own_data, own_texts, read_pairs, split_words)


@pytest.mark.parametrize("text, words", [
    ("Don't go!", ["Don't", "go", "!"]),
    ("a well-known l’été", ["a", "well-known", "l’été"]),
    ("10:30, 2.5 or 1,000.", ["10:30", ",", "2.5", "or", "1,000", "."]),
    ("(yes) - no", ["(", "yes", ")", "-", "no"]),
    ("Größe Ångström", ["Größe", "Ångström"]),
    ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    ("می\u200cخواهم", ["می\u200cخواهم"]),
    ("고양이가 잤다.", ["고양이가", "잤다", "."]),
    ("I ❤\ufe0f it", ["I", "❤\ufe0f", "it"]),
    ("cafe\u0301", ["caf\u00e9"]), ("a\u00a0b\tc", ["a", "b", "c"]), (" \u3000", [])])
def test_words_of_many_languages(text, words):
    assert split_words(text) == words


@pytest.mark.parametrize("text", [
    "Yes, it's here: 2.5 (or more)!", 'He said "no" and «yes».', "„Ja“, sagte er.",
    "¿Qué? ¡Ay!", "“One” and “two”."])
def test_a_line_comes_out_as_it_was(text):
    assert join_words(split_words(text)) == text


@pytest.mark.parametrize("text, words", [
    ("CAFE\u0301 CafÉ", ["café"] * 2), ("Straße STRASSE", ["straße", "strasse"]),
    ("A\u030angström ÅNG", ["ångström", "ång"]), ("İki I\u0307ki", ["i\u0307ki"] * 2),
    # the mark below comes before the one above, whatever was typed
    ("İ\u0327 I\u0327\u0307", ["i\u0327\u0307"] * 2), ("ΟΣ ΟΣΟΣ", ["ος", "οσος"]),
    ("개 DON'T", ["개", "don't"])])
def test_small_letters_of_many_languages(text, words):
    """A word is the same word however its marks were typed."""
    assert split_words(as_read(text, True)) == words
    assert as_read(text, False) == text
    for form in ("NFC", "NFD"):
        assert split_words(as_read(normalize(form, text), True)) == words


def file(folder, *lines, name="pairs.tsv"):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_pairs_of_a_file(tmp_path):
    path = file(tmp_path, "A dog.\tEin Hund.\tof someone", "Two\tZwei\tof another")
    assert read_pairs(path) == ([(["A", "dog", "."], ["Ein", "Hund", "."]),
                                     (["Two"], ["Zwei"])], [])


def test_pairs_of_an_exported_file(tmp_path):
    """Source and target are its first columns, which its first line names."""
    path, = export(tmp_path, ["agree"])
    pairs, left = read_pairs(path, str.split)
    assert pairs[0] == (["source"], ["target"]) and left == []
    assert pairs[1:] == [(pair.words, pair.morphemes) for pair in split("agree")]


def test_a_tab_inside_a_sentence_is_not_taken_for_the_one_between(tmp_path):
    path = file(tmp_path, "A dog\tEin Hund", "Two\tmen\tZwei Männer", "One\tEins")
    pairs, left = read_pairs(path)
    assert left == [2] and pairs[1] == (["One"], ["Eins"])


@pytest.mark.parametrize("line, message", [
    ("one column", "two sentences with a tab between them, not 'one column'"),
    ("", "not ''"), ("a\t ", "not 'a\\\\t '"), ("\tb", "not '\\\\tb'"),
    ("x" * 100_001, "line 2: 100001 characters; a line is two sentences")])
def test_a_line_that_is_no_pair_is_named(tmp_path, line, message):
    with pytest.raises(ValueError, match=f"^pairs.tsv, line 2: .*{message}|{message}"):
        read_pairs(file(tmp_path, "a\tb", line))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="pairs.tsv is empty; it must hold sentence"):
        read_pairs(file(tmp_path))


def test_no_source_sentence_is_on_both_sides():
    """Nor in capitals, nor with another translation."""
    pairs = [([word, str(k % 30)], [str(k)])
             for k in range(90) for word in ("The", "THE")]
    training, checked = held_out(pairs, share=10)
    sides = [{" ".join(source).casefold() for source, _ in side}
             for side in (training, checked)]
    assert not sides[0] & sides[1] and len(sides[1]) == 3
    assert sorted(training + checked) == sorted(pairs)
    assert held_out(pairs[::-1], share=10)[1] == checked[::-1]    # not by order
    assert not sides[1] & set(sorted(sides[0] | sides[1])[:2])    # nor by alphabet


def test_one_source_sentence_at_least_is_held_out():
    training, checked = held_out([([str(k)], ["x"]) for k in range(3)])
    assert (len(training), len(checked)) == (2, 1)


LINES = [f"w{k % 3} same\tw{k % 3} gleich" for k in range(9)]


def test_what_is_said_of_a_file(tmp_path):
    training, checked, source, target, notes = own_data(
        file(tmp_path, *LINES, "a b c d\te", "a b\tc d e f", "one\ttab\tmore",
             "rare same\tselten gleich"),
        file(tmp_path, "w1 Same\tw1 gleich", "w7 new\tneu", "1 2 3 4\t5",
             name="valid.tsv"), max_length=2, min_count=2)
    assert len(training) == 10 and len(checked) == 2
    assert source.words[4:] == ["same", "w0", "w1", "w2"] and "selten" not in target
    assert notes == [
        "pairs.tsv: 1 line left out, with a tab inside a sentence (the first is 12)",
        "pairs.tsv: 2 pairs left out, with more than 2 words (--max-length)",
        "valid.tsv: 1 pair left out, with more than 2 words (--max-length)",
        "10 pairs for training, 2 for validation",
        "validation pairs whose source sentence is in the training too: 1; the "
        "validation loss flatters",
        *(f"4 {name} words; 5.0% of the text is rarer than --min-count 2 and becomes "
          "<unk>" for name in ("source", "target"))]


def test_all_words_with_a_minimum_count_of_one(tmp_path):
    *_, source, _, notes = own_data(file(tmp_path, *LINES), min_count=1)
    assert "0.0% of the text" in notes[-1] and len(source) == 4 + 3


def test_data_in_small_letters_is_that_of_a_file_in_small_letters(tmp_path):
    lines = ["The DOG\tDer Hund", "the dog\tDER HUND", "A \u0130\tEin \u0130",
             "a cat\tein Kater"]
    given = file(tmp_path, *lines)
    small = file(tmp_path, *map(str.lower, lines), name="small.tsv")
    data, same = (own_data(path, path, min_count=1, lowercase=True)
                  for path in (given, small))
    assert data[:2] == same[:2] == own_data(small, small, min_count=1)[:2]
    assert data[0][0] == data[0][1] == (["the", "dog"], ["der", "hund"])
    for vocab, other in zip(data[2:4], same[2:4]):
        assert vocab.words == other.words
    assert own_data(given, given, min_count=1)[0][0] == (
        ["The", "DOG"], ["Der", "Hund"])


@pytest.mark.parametrize("lines, options, message", [
    (["a b\tc"], {"max_length": 1}, "every pair has more than 1 words; a larger --max"),
    (["a\tb", "A\tc"], {"min_count": 1}, "one source sentence only: nothing is left to "
     "validate on; add pairs, or name a file with --valid"),
    (["a\tb", "c\td"], {}, "no source word stands 2 times in the training; use more "
     "pairs, or --min-count 1"),
    (["a b\tb", "a c\td", "a d\te"], {}, "no target word stands 2 times")])
def test_too_little_is_refused_with_a_way_out(tmp_path, lines, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        own_data(file(tmp_path, *lines), **options)


def test_whole_sentences_of_a_file(tmp_path):
    """As `own_data` splits and tells of them, and not cut."""
    path = file(tmp_path, *LINES, " Don't  go!\tGeh  nicht! ", "one\ttab\tmore")
    training, checked, notes = own_texts(path)
    assert sorted(training + checked) == sorted(
        [*(tuple(line.split("\t")) for line in LINES), ("Don't  go!", "Geh  nicht!")])
    assert {source for source, _ in checked}.isdisjoint(
        source for source, _ in training)
    assert notes == ["pairs.tsv: 1 line left out, with a tab inside a sentence (the "
                     "first is 11)"]
    words = own_data(path, min_count=1)
    assert [len(side) for side in words[:2]] == [len(training), len(checked)]


def test_whole_sentences_of_two_files(tmp_path):
    training, checked, notes = own_texts(
        file(tmp_path, *LINES), file(tmp_path, "W1 SAME\tx", "w7\ty", name="valid.tsv"))
    assert len(training) == 9 and checked == [("W1 SAME", "x"), ("w7", "y")]
    assert notes == ["validation pairs whose source sentence is in the training too: "
                     "1; the validation loss flatters"]


def test_one_source_sentence_is_too_little_for_both(tmp_path):
    with pytest.raises(ValueError, match="pairs.tsv has one source sentence only: not"):
        own_texts(file(tmp_path, "a b\tc", "A b\td"))
