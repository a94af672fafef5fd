"""Korean word forms: which shape an ending takes after a stem, and how morphemes run
together.

A morpheme that joins to its left is written with a hyphen: 돕 -았 -다. `join` makes the
surface: 도왔다.
Stems keep their dictionary spelling; all irregularity is here, in six short lists and
the rules below them.
"""

from softdict.corpus.hangul import final, is_syllable, letters, syllable, with_final

# 믿, 입, 씻, 좋, 따르 and all others are regular
IRREGULAR = {stem: letter for letter, stems in {
    "ㄷ": "듣 걷 싣 깨닫",
    "ㅂ": "돕 굽 줍 눕 춥 덥 무겁 가볍 차갑 뜨겁 귀엽 더럽 어렵 쉽 두껍 아름답 시끄럽 "
          "부드럽 날카롭 무섭 맵 즐겁 사납 외롭 충성스럽",
    "ㅅ": "짓 붓 낫 잇 젓",
    "ㅎ": "빨갛 하얗 까맣 파랗 노랗",
    "르": "모르 부르 고르 자르 기르 나르 오르 뛰어오르 목마르 빠르 게으르 흐르 누르 "
          "서두르",
}.items() for stem in stems.split()}
ROUND = ("돕", "곱")    # the only ㅂ stems that keep vowel harmony: 도와, but 아름다워
HONORIFIC = ("시", "으시", "주무시", "드시", "계시")    # with 어요 they make 세요
PAST = ("았", "었", "였")

TWO_SHAPES = {    # after a vowel or ㄹ, after any other consonant
    "HON": ("시", "으시"), "PAST.REL": ("ㄴ", "은"), "FUT.REL": ("ㄹ", "을"),
    "if": ("면", "으면"), "FORMAL": ("ㅂ니다", "습니다"), "PLAIN": ("ㄴ다", "는다"),
}
THREE_SHAPES = {    # after a bright vowel, a dark vowel, 하
    "PAST": ("았", "었", "였"), "POLITE": ("아요", "어요", "여요"),
    "must": ("아야", "어야", "여야"),
}
PARTICLES = {    # after a vowel, after a consonant
    "TOP": "는은", "SUBJ": "가이", "OBJ": "를을", "WITH": "와과",
}
FIXED = {"HON.SUBJ": "-께서", "DAT": "-에게", "HON.DAT": "-께", "AT": "-에",
         "IN": "-에서"}


def particle(label, noun):
    """The shape of a particle after a noun: TOP is 는 after 개, 은 after 책."""
    return FIXED.get(label) or "-" + PARTICLES[label][final(noun) != ""]


def ending(label, stem):
    """The shape of an ending after a stem: PAST is -았 after 돕, -었 after 먹, -였
    after 하."""
    stem = stem.removeprefix("-")
    if label in TWO_SHAPES:
        return "-" + TWO_SHAPES[label][final(stem) not in ("", "ㄹ")]
    return "-" + THREE_SHAPES[label][2 if stem.endswith("하") else not is_bright(stem)]


def is_bright(stem):
    """True if the stem takes the 아 series: last vowel ㅏ or ㅗ (before ㅡ: the vowel
    one syllable earlier)."""
    if stem in PAST or IRREGULAR.get(stem) == "ㅂ" and stem not in ROUND:
        return False
    vowel = letters(stem[-1])[1]
    if vowel == "ㅡ" and len(stem) > 1 and not final(stem):
        vowel = letters(stem[-2])[1]
    return vowel in "ㅏㅗㅑ"


def join(morphemes):
    """Surface text of a list of morphemes: ["개", "-는", "자", "-았", "-다"] gives
    "개는 잤다"."""
    words, stem = [], ""
    for form in morphemes:
        if form.startswith("-") and len(form) > 1 and words:
            words[-1] = attach(words[-1], stem, form[1:])
            stem = form[1:]
        else:
            words.append(form)
            stem = form
    return " ".join(words)


def attach(word, stem, tail):
    """The word with one more morpheme; `stem` is the morpheme that the word ends in, as
    the dictionary spells it."""
    if not word or not tail or not is_syllable(word[-1]):
        return word + tail
    kind, close = IRREGULAR.get(stem), final(word)
    if tail[0] in "ㄴㄹㅂ":    # 가 + ㄴ다 = 간다; 만들 + ㄴ다 = 만든다
        return (with_final(word, tail[0]) + tail[1:] if close in ("", "ㄹ")
                else word + tail)
    if tail[0] in "아어여았었였":
        return contract(word, stem, tail, kind)
    if kind and tail[0] in "으은을":
        return soften(word, tail, kind)
    if close == "ㄹ" and tail[0] in "는시":    # 만들 + 는 = 만드는
        return with_final(word, "") + tail
    return word + tail


def soften(word, tail, kind):
    """An irregular stem before 으: 듣 + 은 = 들은, 돕 + 은 = 도운, 짓 + 은 = 지은, 빨갛
    + 은 = 빨간."""
    if kind == "ㄷ":
        return with_final(word, "ㄹ") + tail
    open_word = with_final(word, "")
    if kind == "ㅂ":
        return open_word + syllable("ㅇ", "ㅜ", final(tail[0])) + tail[1:]
    if kind == "ㅎ":
        return with_final(open_word, final(tail[0])) + tail[1:]
    return open_word + tail


def contract(word, stem, tail, kind):
    """A stem before 아, 어 or 여: 오 + 았 = 왔, 모르 + 았 = 몰랐, 무겁 + 었 = 무거웠,
    하 + 였 = 했."""
    if stem in HONORIFIC and tail == "어요":
        return word[:-1] + "세요"
    initial, vowel, close = letters(word[-1])
    _, dark, end = letters(tail[0])
    if dark == "ㅕ":    # 하 + 여
        return word[:-1] + syllable(initial, "ㅐ", end) + tail[1:]
    if kind == "르":    # the ㄹ doubles
        return with_final(word[:-1], "ㄹ") + syllable("ㄹ", dark, end) + tail[1:]
    if kind == "ㅎ":
        return word[:-1] + syllable(initial, {"ㅏ": "ㅐ", "ㅑ": "ㅒ",
                                              "ㅓ": "ㅔ"}[vowel], end) + tail[1:]
    if kind == "ㅂ":
        return with_final(word, "") + syllable("ㅇ", "ㅘ" if dark == "ㅏ" else "ㅝ",
                                               end) + tail[1:]
    if kind == "ㄷ":
        return with_final(word, "ㄹ") + tail
    if kind == "ㅅ":
        return with_final(word, "") + tail
    if close:
        return word + tail
    if vowel == "ㅡ":
        return word[:-1] + syllable(initial, dark, end) + tail[1:]
    merged = {"ㅏㅏ": "ㅏ", "ㅓㅓ": "ㅓ", "ㅗㅏ": "ㅘ", "ㅜㅓ": "ㅝ", "ㅣㅓ": "ㅕ",
              "ㅐㅓ": "ㅐ", "ㅔㅓ": "ㅔ", "ㅚㅓ": "ㅙ", "ㅕㅓ": "ㅕ"}.get(vowel + dark)
    return (word[:-1] + syllable(initial, merged, end) + tail[1:]
            if merged else word + tail)
