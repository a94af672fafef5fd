"""vocab: numbers there and back, the specials, and words that nobody has seen."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdict.vocab import BOS, EOS, PAD, SPECIALS, UNK, Vocab

few = settings(max_examples=30, deadline=None)

SENTENCES = [["the", "dog", "saw", "the", "cat"], ["a", "cat"]]
words = st.lists(st.text(min_size=1, max_size=4), min_size=1)


def test_specials_have_the_first_numbers():
    vocab = Vocab(SENTENCES)
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert vocab.tokens([PAD, UNK, BOS, EOS]) == SPECIALS


def test_frequent_words_come_first_and_equals_by_alphabet():
    assert Vocab(SENTENCES).words[4:] == ["cat", "the", "a", "dog", "saw"]


@few
@given(st.lists(words, min_size=1))
def test_there_and_back(sentences):
    vocab = Vocab(sentences)
    for sentence in sentences:
        assert vocab.tokens(vocab.ids(sentence)) == sentence
    assert len(vocab) == len(set(vocab.words))


@few
@given(st.lists(words, min_size=1), st.randoms())
def test_the_order_of_the_sentences_does_not_matter(sentences, chance):
    shuffled = chance.sample(sentences, len(sentences))
    assert Vocab(shuffled).words == Vocab(sentences).words
    assert Vocab(shuffled).fingerprint() == Vocab(sentences).fingerprint()


def test_unknown_words_are_named_or_become_unk():
    vocab = Vocab(SENTENCES)
    with pytest.raises(ValueError, match="does not know 'puppy', 'owl'$"):
        vocab.ids(["the", "puppy", "saw", "puppy", "owl"])
    assert vocab.ids(["the", "puppy"], unknown="UNK") == [vocab.numbers["the"], UNK]
    assert "puppy" not in vocab and "dog" in vocab


def test_the_fingerprint_tells_other_words_and_another_order():
    prints = {Vocab(sentences).fingerprint()
              for sentences in (SENTENCES, SENTENCES[:1], SENTENCES + [["a", "a"]])}
    assert len(prints) == 3


def test_a_special_that_stands_in_the_text_keeps_its_number():
    assert Vocab([["<eos>", "dog"]]).ids(["<eos>"]) == [EOS]


def test_rare_words_are_left_out():
    assert Vocab(SENTENCES, min_count=2).words[4:] == ["cat", "the"]
    assert Vocab(SENTENCES, min_count=1).words == Vocab(SENTENCES).words
    assert Vocab(SENTENCES, min_count=3).words == SPECIALS


@few
@given(st.lists(words, min_size=1))
def test_a_vocabulary_from_its_words_is_the_same(sentences):
    vocab = Vocab(sentences)
    again = Vocab.of(vocab.words[len(SPECIALS):])
    assert again.words == vocab.words and again.numbers == vocab.numbers
    assert again.fingerprint() == vocab.fingerprint()


@pytest.mark.parametrize("twice", [["a", "b", "a"], ["<unk>"]])
def test_a_word_that_stands_there_twice_is_refused(twice):
    with pytest.raises(ValueError, match="each word once"):
        Vocab.of(twice)
