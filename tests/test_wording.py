"""wording: values and numbers in sentences."""

from softdict.texts.wording import plural, short


def test_a_number_has_its_noun():
    assert [plural(number, "pair") for number in (0, 1, 2, 21)] == [
        "0 pairs", "1 pair", "2 pairs", "21 pairs"]


def test_a_value_fits_into_a_sentence():
    assert short("two\nlines") == r"'two\nlines'" and short(None) == "None"
    assert short("x" * 58) == repr("x" * 58)
    assert short("x" * 59) == repr("x" * 59)[:60] + "..."
    assert len(short(list(range(10 ** 4)))) == 63
