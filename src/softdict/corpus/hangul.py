"""Hangul as arithmetic: syllables to letters and back, and Revised Romanisation letter
by letter."""

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = ["", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"]
# syllables follow in order: 588 for an initial, 28 for a vowel, 1 for a final
FIRST = ord("가")

CONSONANT_LETTERS = "g kk n d tt l m b pp s ss ng j jj ch k t p h"
LATIN = dict(zip(INITIALS, CONSONANT_LETTERS.split()))
VOWEL_LETTERS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i"
LATIN |= dict(zip(VOWELS, VOWEL_LETTERS.split()))
LATIN |= {"ㄳ": "gs", "ㄵ": "nj", "ㄶ": "nh", "ㄺ": "lg", "ㄻ": "lm", "ㄼ": "lb",
          "ㄽ": "ls", "ㄾ": "lt", "ㄿ": "lp", "ㅀ": "lh", "ㅄ": "bs"}


def is_syllable(character):
    """True for the 11,172 whole Hangul syllables, False for single letters and all
    else."""
    return "가" <= character <= "힣"


def letters(syllable):
    """Initial, vowel and final ("" if there is none) of a Hangul syllable."""
    place = ord(syllable) - FIRST
    return INITIALS[place // 588], VOWELS[place % 588 // 28], FINALS[place % 28]


def syllable(initial, vowel, final=""):
    """The Hangul syllable of an initial, a vowel and a final."""
    return chr(FIRST + 588 * INITIALS.index(initial) + 28 * VOWELS.index(vowel)
               + FINALS.index(final))


def final(text):
    """Last consonant of a text that ends in a Hangul syllable; "" if it ends in a vowel
    or is no Hangul."""
    return (FINALS[(ord(text[-1]) - FIRST) % 28]
            if text and is_syllable(text[-1]) else "")


def with_final(text, consonant):
    """The text with the final of its last syllable replaced."""
    return text[:-1] + chr((ord(text[-1]) - FIRST) // 28 * 28 + FIRST
                           + FINALS.index(consonant))


def romanise(text):
    """Latin letters for Hangul, letter by letter: spelling, not sound changes (먹는 is
    meogneun, said "meongneun").

    A letter always becomes the same letters (ㄹ is l); only a silent initial ㅇ
    disappears.
    """
    pieces = []
    for character in text:
        if is_syllable(character):
            initial, vowel, end = letters(character)
            pieces += ["" if initial == "ㅇ" else LATIN[initial], LATIN[vowel],
                       LATIN.get(end, "")]
        else:
            pieces.append(LATIN.get(character, character))
    return "".join(pieces)
