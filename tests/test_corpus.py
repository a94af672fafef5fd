"""The embedded corpus: word forms, one Korean per English, links, splits, and the
promises that the book makes of it."""

import csv
import hashlib
import unicodedata
from collections import Counter
from functools import cache
from math import sqrt
from types import SimpleNamespace

import pytest

from softdict import corpus
from softdict.__main__ import main
from softdict.corpus.chance import Chance
from softdict.corpus.export import COLUMNS, block, export
from softdict.corpus.grammar import KINDS, Grammar
from softdict.corpus.hangul import letters, romanise, syllable
from softdict.corpus.korean import GLOSSES, korean
from softdict.corpus.lexicon import fits, lexicon
from softdict.corpus.morphology import IRREGULAR, ending, join, particle
from softdict.corpus.pairs import key
from softdict.corpus.splits import (
    BINS,
    LONG,
    ROLE,
    SPLITS,
    derivations,
    held_out,
    never_subject,
    uncollected,
    unseen_pair,
    unseen_sense,
)
from softdict.corpus.trees import predications

LEXICON = lexicon()
PAIRED = tuple(name for name in SPLITS if not name.startswith("mono"))

# written by hand: morphemes, surface
FORMS = """
돕 -았 -다|도왔다  돕 -은|도운  돕 -으시 -었 -다|도우셨다  돕 -는다|돕는다  \
돕 -을|도울  돕 -으면|도우면  돕 -습니다|돕습니다
굽 -었 -다|구웠다  줍 -어요|주워요  무겁 -었 -다|무거웠다  가볍 -은|가벼운  \
차갑 -었 -다|차가웠다  춥 -습니다|춥습니다  아름답 -은|아름다운
귀엽 -어요|귀여워요  더럽 -었 -다|더러웠다  어렵 -은|어려운  두껍 -으면|두꺼우면  \
시끄럽 -은|시끄러운  외롭 -어요|외로워요
입 -었 -다|입었다  입 -은|입은  입 -으시 -ㄴ다|입으신다  잡 -았 -다|잡았다  \
잡 -으면|잡으면  씹 -은|씹은
듣 -었 -다|들었다  듣 -은|들은  듣 -는|듣는  듣 -으시 -는|들으시는  걷 -었 -다|걸었다  \
걷 -습니다|걷습니다  걷 -어요|걸어요
믿 -었 -다|믿었다  믿 -으시 -어요|믿으세요  닫 -은|닫은  받 -았 -다|받았다  묻 -은|묻은
짓 -었 -다|지었다  짓 -은|지은  짓 -는다|짓는다  붓 -어요|부어요  \
붓 -으시 -었 -다|부으셨다
씻 -었 -다|씻었다  씻 -은|씻은  웃 -어요|웃어요  웃 -으시 -었 -다|웃으셨다
빨갛 -은|빨간  빨갛 -았 -다|빨갰다  빨갛 -아요|빨개요  하얗 -았 -다|하얬다  \
하얗 -은|하얀  까맣 -습니다|까맣습니다  파랗 -으면|파라면
노랗 -은|노란  좋 -은|좋은  좋 -았 -다|좋았다  좋 -아요|좋아요
부르 -었 -다|불렀다  부르 -시 -었 -다|부르셨다  고르 -았 -다|골랐다  고르 -ㄴ|고른  \
모르 -았 -다|몰랐다  모르 -ㅂ니다|모릅니다  자르 -아요|잘라요
기르 -었 -다|길렀다  나르 -았 -다|날랐다  오르 -ㄹ|오를  빠르 -아요|빨라요  \
게으르 -었 -다|게을렀다  뛰어오르 -았 -다|뛰어올랐다
목마르 -아요|목말라요  따르 -았 -다|따랐다  따르 -ㄴ다|따른다  따르 -아요|따라요
쓰 -었 -다|썼다  쓰 -ㄴ|쓴  끄 -었 -다|껐다  크 -었 -다|컸다  예쁘 -었 -다|예뻤다  \
바쁘 -아요|바빠요  슬프 -었 -다|슬펐다  아프 -았 -다|아팠다
배고프 -아요|배고파요
만들 -었 -다|만들었다  만들 -는|만드는  만들 -ㄴ다|만든다  만들 -시 -었 -다|만드셨다  \
만들 -ㅂ니다|만듭니다  만들 -면|만들면  열 -ㄴ|연
열 -ㄹ|열  팔 -시 -었 -다|파셨다  길 -ㅂ니다|깁니다  알 -는|아는  울 -어요|울어요  \
울 -ㄴ|운  놀 -ㄴ|논  달 -ㄴ|단  밀 -고|밀고
하 -였 -다|했다  하 -여요|해요  하 -ㄴ|한  하 -시 -어요|하세요  일하 -ㅂ니다|일합니다  \
하 -여야|해야  못하 -였 -다|못했다
가 -았 -다|갔다  가 -ㄴ다|간다  오 -았 -다|왔다  오 -아요|와요  보 -았 -다|봤다  \
주 -었 -다|줬다  주 -어요|줘요  마시 -었 -다|마셨다
마시 -어요|마셔요  가르치 -었 -다|가르쳤다  보내 -었 -다|보냈다  보내 -어요|보내요  \
지키 -ㄹ|지킬  버리 -었 -다|버렸다  켜 -었 -다|켰다
쉬 -었 -다|쉬었다  할퀴 -었 -다|할퀴었다  되 -어요|돼요  되 -ㄴ다|된다  \
서 -었 -다|섰다  자 -았 -다|잤다  자 -아요|자요  차 -ㄴ|찬
싸 -ㅂ니다|쌉니다  비싸 -았 -다|비쌌다  춤추 -었 -다|춤췄다  건네 -었 -다|건넸다
읽 -었 -다|읽었다  읽 -으시 -어요|읽으세요  읽 -습니다|읽습니다  핥 -았 -다|핥았다  \
앉 -아요|앉아요  작 -은|작은  작 -았 -다|작았다  얇 -은|얇은
짧 -아요|짧아요  많 -았 -다|많았다  있 -는|있는  있 -어요|있어요  있 -다|있다  \
없 -었 -다|없었다  없 -어요|없어요  않 -는다|않는다  않 -았 -다|않았다
않 -으시 -어요|않으세요  맛있 -는|맛있는
주무시 -었 -다|주무셨다  주무시 -어요|주무세요  주무시 -ㅂ니다|주무십니다  \
드시 -ㄴ|드신  드시 -어요|드세요  계시 -ㄴ다|계신다  계시 -었 -다|계셨다
말씀하 -시 -었 -다|말씀하셨다  말씀하 -시 -어요|말씀하세요  드리 -었 -다|드렸다  \
드리 -어요|드려요  드리 -시 -었 -다|드리셨다
개 -는|개는  책 -은|책은  개 -가|개가  책 -이|책이  개 -를|개를  책 -을|책을  \
개 -와|개와  책 -과|책과  딸 -은|딸은  선생님 -께서 -는|선생님께서는
아이 -들 -은|아이들은  할머니 -께|할머니께  공원 -에서|공원에서  \
자 -ㄹ 것 -이 -다|잘 것이다  자 -ㄹ 거 -예요|잘 거예요  \
먹 -을 것 -이 -ㅂ니다|먹을 것입니다
자 -ㄹ 수 있 -어요|잘 수 있어요  자 -면 안 되 -ㄴ다|자면 안 된다  \
먹 -으면 안 되 -어요|먹으면 안 돼요  먹 -어야 하 -ㄴ다|먹어야 한다
자 -고 싶 -어 하 -여요|자고 싶어 해요  자 -지 않 -았 -습니다|자지 않았습니다  \
자 -았 -기 때문 -에|잤기 때문에  자 -았 -을 때|잤을 때  자 -ㄴ다 -고|잔다고
크 -다 -고|크다고  읽 -던|읽던  주무시 -고 계시 -ㄴ다|주무시고 계신다  \
찾 -지 못하 -시 -었 -다|찾지 못하셨다  고장 나 -ㄴ|고장 난
"""
TABLE = [item.split("|") for line in FORMS.strip().splitlines()
         for item in line.split("  ")]

# of the words, morphemes and links of all pairs
SHA256 = {
    "iid": "2636b3d70b593c5f4b0706e78570915579c09e5874a55a1c08025ac83e82a1f0",
    "long": "387dd7de6a5ee6e4846f6bd1de5bcd7c58460c8a08c7692c7b678bbaed204166",
    "deep": "520e50b2ed48335e2dd17b3dbb17c7f3f47d9cd42e0be2a4a92157b322bdc9ab",
    "pairs": "5151210d9f1ebcc90a1c18c6bb1bd54c307d8e87685b9e4c941347cd332d4dd7",
    "role": "93118d854a151b97b33c1adee3f9d9e7089ab21b4c0202bd8bdacbafe1ec0124",
    "ambig": "548535fe6da559a63cad1a5850a8603b337ee0088cc8cdefb0d82122b415c5ac",
    "agree": "29877465ecfcabefdfd150552ffb258bd4b94da69c0a4a8228e143500e0f337f",
    "register": "7c0442abc888137d4de6e86fb7b64d73ae92b473d82bf6c1fedcfaae70b8181c",
    "valid": "e098e90a04bc65b107b1f2adeb6790eebe6bd19e6db0039361c0dd110a72437a",
    "pairs-500": "630ddda30b32903e5ed0371ba37fbed7934893e6ea335a84281ac6ab575ec35c",
    "train": "63af10cf4ae61af1762d1a410bcb1cf1b417d96d5525042b71d0dfcabaa3fc98",
    "mono-en": "ab04d17e6b85354df24bea4f90d80f04b74279e0aa62e63c6feaac38b2049662",
    "mono-ko": "6e4419a89305c3d51759fa1b73dfde2bbefd81f85410af920de1f5d2df4b3912",
}


@pytest.fixture(scope="module")
def splits():
    return {name: corpus.split(name) for name in PAIRED}


@pytest.fixture(scope="module")
def trees():
    """The trees of each split.

    While they are there, Python looks for no garbage: each search would see them all.
    """
    drawn = cache(derivations.__wrapped__)
    with uncollected(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("softdict.corpus.splits.derivations", drawn)
        found = {name: drawn(name) for name in SPLITS}
        patch.undo()
        yield found


# ---- word forms ----------------------------------------------------------------------


def test_the_table_is_long_enough_and_says_each_form_once():
    assert len(TABLE) >= 120
    assert len({morphemes for morphemes, _ in TABLE}) == len(TABLE)


@pytest.mark.parametrize("morphemes, surface", TABLE)
def test_morphemes_run_together_as_written_by_hand(morphemes, surface):
    assert join(morphemes.split()) == surface


@pytest.mark.parametrize("stem, label, shape", [
    ("돕", "PAST", "-았"), ("아름답", "PAST", "-었"), ("차갑", "PAST", "-었"),
    ("잡", "PAST", "-았"), ("먹", "PAST", "-었"), ("하", "PAST", "-였"),
    ("예쁘", "PAST", "-었"), ("바쁘", "PAST", "-았"),
    ("-았", "POLITE", "-어요"), ("-시", "PAST", "-었"), ("모르", "PAST", "-았"),
    ("만들", "FORMAL", "-ㅂ니다"), ("만들", "if", "-면"), ("먹", "if", "-으면"),
    ("만들", "HON", "-시"), ("읽", "HON", "-으시"), ("핥", "PLAIN", "-는다"),
    ("않", "PAST", "-았"), ("있", "PAST", "-었"), ("쓰", "PAST", "-었"),
    ("기르", "PAST", "-었"), ("얇", "PAST", "-았"),
])
def test_an_ending_takes_its_shape_from_the_stem(stem, label, shape):
    assert ending(label, stem) == shape


def test_particles_follow_the_last_sound():
    assert ([particle("TOP", noun) for noun in ("개", "책", "딸")]
            == ["-는", "-은", "-은"])
    assert [particle("WITH", noun) for noun in ("개", "책")] == ["-와", "-과"]


def test_syllables_and_letters_are_inverse():
    for code in range(ord("가"), ord("힣") + 1):
        assert syllable(*letters(chr(code))) == chr(code)


def test_every_irregular_class_has_a_verb_and_a_regular_twin_in_the_lexicon():
    stems = [entry.korean[-1] for name in ("intransitive", "transitive")
             for entry in getattr(LEXICON, name)]
    stems += [korean[-1] for adjective in LEXICON.adjectives
              for korean, _, _ in adjective.senses]
    assert ({IRREGULAR[stem] for stem in stems if stem in IRREGULAR}
            == {"ㄷ", "ㅂ", "ㅅ", "ㅎ", "르"})
    for twin in ("믿", "입", "씻", "따르"):
        assert twin in stems and twin not in IRREGULAR


def test_romanisation_goes_letter_by_letter():
    assert ([romanise(text) for text in ("먹는", "강아지", "-ㄴ다", "읽", "좋")]
            == ["meogneun", "gangaji", "-nda", "ilg", "joh"])


# ---- words that go together ----------------------------------------------------------


def word(table, name):
    return next(entry for entry in getattr(LEXICON, table) if entry.english == name)


@pytest.mark.parametrize("adjective, noun, stem", [
    ("old", "man", "늙"), ("old", "book", "오래되"), ("old", "hat", "낡"),
    ("heavy", "box", "무겁"), ("heavy", "coat", "두껍"), ("light", "bag", "가볍"),
    ("light", "coffee", "연하"), ("cold", "water", "차갑"), ("young", "man", "젊"),
    ("young", "horse", "어리"), ("hard", "bread", "딱딱하"),
    ("hard", "book", "어렵"), ("heavy", "rabbit", None), ("young", "hat", None),
    ("hungry", "door", None), ("delicious", "key", None),
])
def test_an_adjective_is_translated_by_its_noun(adjective, noun, stem):
    found = [a.sense(word("nouns", noun))
             for a in LEXICON.adjectives if a.english == adjective]
    assert [sense[0][-1] for sense in found if sense] == ([stem] if stem else [])


def test_places_are_never_taken_for_animals():
    for verb in LEXICON.intransitive + LEXICON.transitive:
        for place in LEXICON.places:
            assert not Grammar(LEXICON, None).goes("subject", verb, place)


def company(tokens_of_pairs):
    """How often each noun stands in a relation with each verb or adjective, through
    heads in both directions."""
    counts = Counter()
    for source in tokens_of_pairs:
        for token in source:
            if token.head >= 0:
                above = source[token.head]
                if token.pos == "NOUN" and above.pos in ("VERB", "ADJ"):
                    counts[token.lemma, token.relation, above.lemma] += 1
                elif token.pos in ("VERB", "ADJ") and above.pos == "NOUN":
                    counts[above.lemma, token.relation, token.lemma] += 1
    return counts


def cosines(counts, word):
    """Cosine of a noun with every other noun, of the square roots of its counts."""
    rows = {}
    for (noun, relation, other), count in counts.items():
        rows.setdefault(noun, {})[relation, other] = sqrt(count)
    mine = rows[word]
    length = {noun: sqrt(sum(value ** 2 for value in row.values()))
              for noun, row in rows.items()}
    return {noun: sum(value * row.get(name, 0) for name, value in mine.items())
            / length[word] / length[noun] for noun, row in rows.items() if noun != word}


@pytest.mark.parametrize("fifth", range(5))
def test_a_puppy_keeps_the_company_of_dogs(splits, fifth):
    pairs = splits["train"][fifth * 4000:][:4000]
    near = cosines(company(p.source for p in pairs), "puppy")
    assert "dog" in sorted(near, key=near.get)[-2:], (
        sorted(near.items(), key=lambda item: -item[1])[:5])
    assert near["dog"] > near["cat"] > near["computer"]


# ---- one Korean for each English -----------------------------------------------------

FEW = """man teacher mother child dog book coat bread radio house Mina park room \
school old heavy happy hot sleep go read like eat
give show say hear be build turn find know yesterday tomorrow now often sometimes \
quickly well two"""


def small_lexicon():
    """About one word of each class: sentences repeat, and so would any ambiguity."""
    keep = FEW.split()
    few = {name: [entry for entry in entries if entry.english in keep]
           for name, entries in vars(LEXICON).items() if isinstance(entries, list)}
    few["times"] += [entry for entry in LEXICON.times
                     if entry.english in ("next week", "every day")]
    few["manners"], few["frequencies"] = LEXICON.manners, LEXICON.frequencies
    for frame in ("intransitive", "transitive", "ditransitive", "saying", "locative"):
        few[frame] = [verb for verb in few[frame] if usable(verb, few)]
    return SimpleNamespace(**few, determiners=LEXICON.determiners)


def usable(verb, few):
    """True if the few nouns can fill every slot of the verb."""
    slots = (("subject", "object") if verb.frame in ("transitive", "ditransitive")
             else ("subject",))
    where = next((note[3:] for note in verb.notes if note.startswith("at:")), "usual")
    return any(where in place.kinds for place in few["places"]) and all(
        any(fits(noun, verb.wants[slot]) for noun in few["nouns"] + few["places"])
        for slot in slots)


@uncollected()
def test_no_english_string_has_two_koreans_in_one_register():
    grammar, seen = Grammar(small_lexicon(), Chance(7)), {}
    for i in range(50_000):
        tree, used = grammar.seed(KINDS[i % 5])
        size = len(key(tree).split())
        # any length will do: nothing is thrown away
        grammar.grow(tree, used, size, size + i // 5 % 9, None)
        grammar.settle(tree)
        tree.register = ("plain", "polite", "formal")[i % 3]
        text = tree.register, key(tree)
        forms = " ".join(row[0] for row in korean(tree))
        assert seen.setdefault(text, forms) == forms, (text, seen[text], forms)
    # the same English came back some 4,000 times, so the test can fail
    assert len(seen) < 46_500


# ---- links and heads -----------------------------------------------------------------


def test_possible_links_contain_the_sure_ones_and_stay_inside_the_sentence(splits):
    for pair in splits["iid"] + splits["deep"]:
        assert set(pair.sure) <= set(pair.possible)
        assert len(set(pair.possible)) == len(pair.possible)
        assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target)
                   for i, j in pair.possible)
        assert (pair.sure == tuple(sorted(pair.sure))
                and pair.possible == tuple(sorted(pair.possible)))


def test_sure_links_join_content_words_of_one_node(splits):
    for pair in splits["iid"]:
        for i, j in pair.sure:
            assert pair.source[i].node == pair.target[j].node
            assert {pair.source[i].role, pair.target[j].role} <= {"head", "part"}
        linked = {j for _, j in pair.sure}
        assert all(j in linked for j, token in enumerate(pair.target)
                   if token.role in ("head", "part"))


def test_links_of_one_sentence_read_by_hand(splits):
    pairs = [pair for pair in splits["register"] if pair.length < 7]
    assert len(pairs) % 3 == 0
    for ends in zip(pairs[::3], pairs[1::3], pairs[2::3]):
        assert len({p.english for p in ends}) == 1
        for p in ends:
            # the tag decides the last ending
            assert (0, len(p.target) - 1) in p.possible
        assert len({p.target[-1].form for p in ends}) == 3


def test_heads_form_a_tree(splits):
    for pair in splits["iid"] + splits["long"]:
        for side in (pair.source, pair.target):
            assert [token.head for token in side].count(-1) == 1
            for place in range(len(side)):
                steps = 0
                while place != -1:
                    place, steps = side[place].head, steps + 1
                assert steps <= len(side)


def test_every_gloss_is_a_word_or_listed(splits):
    for pair in splits["iid"]:
        for token in pair.target:
            assert (token.gloss in GLOSSES if token.gloss.isupper()
                    else token.gloss[0].isalpha())


def test_each_source_begins_with_the_tag_of_its_register(splits):
    for pairs in splits.values():
        assert all(pair.words[0] == f"<{pair.register}>" for pair in pairs)


def test_text_is_nfc_and_the_surface_is_what_join_gives(splits):
    for pair in splits["iid"]:
        assert unicodedata.is_normalized("NFC", " ".join(pair.words + pair.morphemes)
                                         + pair.korean)
        assert pair.korean == join(pair.morphemes) + "."
        assert (pair.english[0].isupper() and pair.english.endswith(".")
                and " ," not in pair.english)


# ---- splits --------------------------------------------------------------------------


def test_sizes_and_names(splits):
    for name, pairs in splits.items():
        assert len(pairs) == SPLITS[name][0]
    with pytest.raises(ValueError,
                       match="there is no split 'tset'; the splits are iid"):
        corpus.split("tset")
    with pytest.raises(ValueError, match="mono-en holds text in one language only"):
        corpus.split("mono-en")
    with pytest.raises(ValueError, match="text is there for mono-en and mono-ko"):
        corpus.text("train")


def test_every_bin_has_the_same_mix_of_constructions(splits):
    for name in ("train", "iid", "valid", "long"):
        for shortest, longest in LONG if name == "long" else BINS:
            inside = [pair
                      for pair in splits[name] if shortest <= pair.length <= longest]
            assert len(inside) == SPLITS[name][0] // (2 if name == "long" else 5)
            assert (set(Counter(pair.kind for pair in inside).values())
                    == {len(inside) // 5})


def test_training_is_at_most_two_deep_and_the_deep_split_three(splits):
    assert max(pair.depth for name in PAIRED if name != "deep"
               for pair in splits[name]) == 2
    assert {pair.depth for pair in splits["deep"]} == {3}
    assert all(17 <= pair.length <= 24 for pair in splits["deep"])


def test_no_sentence_is_in_two_splits(splits, trees):
    first = {name: [key(tree) for tree in trees[name]] for name in SPLITS}
    whole = {name: [" ".join(pair.words[1:]) for pair in pairs]
             for name, pairs in splits.items()}
    whole["mono-en"] = [" ".join(words) for words in corpus.text("mono-en")]
    for name in whole:    # what was drawn now is what stands in the file
        assert first[name] == whole[name][:len(first[name])]
    for texts in (first, whole):    # the files do not tell the English of mono-ko
        seen = {}
        for name, sentences in texts.items():
            for text in sentences[::3] if name == "register" else sentences:
                assert text not in seen, (name, seen[text], text)
                seen[text] = name


def test_training_never_shows_what_is_held_out(trees):
    for name in ("train", "valid", "iid", "long", "deep", "agree", "register",
                 "pairs-500", "mono-en", "mono-ko"):
        for tree in trees[name]:
            assert not any(held_out(*item) for item in predications(tree)), key(tree)


def test_each_held_out_sentence_holds_what_it_is_for(trees):
    for name, wanted, never in (("pairs", unseen_pair, never_subject),
                                ("ambig", unseen_sense, never_subject),
                                ("role", never_subject, unseen_pair)):
        for tree in trees[name]:
            found = predications(tree)
            assert (any(wanted(*item) for item in found)
                    and not any(never(*item) for item in found))


def test_about_a_tenth_of_all_pairs_is_held_out():
    grammar = Grammar(LEXICON, None)
    every = [("adjective", a, n) for a in LEXICON.adjectives
             for n in LEXICON.nouns + LEXICON.places if grammar.goes("adjective", a, n)]
    every += [(slot, v, n) for v in LEXICON.transitive for slot in ("subject", "object")
              for n in LEXICON.nouns if grammar.goes(slot, v, n)]
    assert 0.08 < sum(unseen_pair(*item) for item in every) / len(every) < 0.12


def test_role_nouns_are_seen_in_training_but_never_as_subjects(splits):
    seen, subjects = Counter(), Counter()
    for pair in splits["train"]:
        for token in pair.source:
            if token.lemma in ROLE:
                seen[token.lemma] += 1
                subjects[token.lemma] += token.relation == "nsubj"
    assert len(ROLE) == 10 and min(seen[noun] for noun in ROLE) >= 50, seen
    assert sum(subjects.values()) == 0


def test_agree_comes_in_twins_that_differ_in_the_subject(splits):
    pairs = splits["agree"]
    for honoured, plain in zip(pairs[::2], pairs[1::2]):
        different = [(a, b) for a, b in zip(honoured.words[1:], plain.words[1:])
                     if a != b]
        assert len(honoured.words) == len(plain.words) and len(different) == 1
        assert (honoured.morphemes[honoured.spot] in ("-시", "-으시")
                and honoured.target[honoured.spot].gloss == "HON")
        assert plain.target[plain.spot].gloss != "HON"
        assert (honoured.target[honoured.spot - 1].lemma
                == plain.target[plain.spot - 1].lemma)


def test_register_comes_in_threes(splits):
    pairs = splits["register"]
    for three in zip(pairs[::3], pairs[1::3], pairs[2::3]):
        assert [pair.register for pair in three] == ["plain", "polite", "formal"]
        assert (len({pair.english for pair in three}) == 1
                and len({pair.korean for pair in three}) == 3)


def fingerprint_of(lines):
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


def test_every_split_is_the_same_on_every_machine(splits):
    found = {name: fingerprint_of(
        f"{' '.join(p.words)}\t{' '.join(p.morphemes)}\t{p.pharaoh}" for p in pairs)
             for name, pairs in splits.items()}
    found |= {name: fingerprint_of(" ".join(forms) for forms in corpus.text(name))
              for name in ("mono-en", "mono-ko")}
    assert found == SHA256


def test_another_seed_gives_other_sentences(trees):
    other = derivations.__wrapped__("iid", 2)    # not kept
    assert key(other[0]) != key(trees["iid"][0])


def test_chance_is_splitmix64():
    chance = Chance(0)
    assert [chance.bits() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4,
                                                 0x06C45D188009454F]


# ---- reading, writing, command line --------------------------------------------------


def rows_of(path):
    """The rows of an exported file, dictionaries from column name to text."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE,
                                   strict=True))


def test_a_file_comes_back_as_it_was_written(tmp_path):
    path, = export(tmp_path, ["agree"])
    rows = rows_of(path)
    assert all(tuple(row) == COLUMNS and None not in row.values() for row in rows)
    pair = corpus.split("agree")[3]
    assert (rows[3]["source"] == " ".join(pair.words)
            and rows[3]["korean"] == pair.korean and rows[3]["links"] == pair.pharaoh)
    assert not list(tmp_path.glob("*.part"))


def test_the_command_shows_pairs(capsys):
    main(["corpus", "--split", "iid", "--show", "2"])
    text = capsys.readouterr().out
    pair = corpus.split("iid")[0]
    assert (text.startswith(block(pair)) and pair.korean in text
            and pair.pharaoh in text and text.count("links") == 2)


def test_the_command_writes_files(tmp_path, capsys):
    main(["corpus", "--split", "register", "--export", str(tmp_path / "new")])
    assert capsys.readouterr().out.strip() == str(tmp_path / "new" / "register.tsv")
    assert len(rows_of(tmp_path / "new" / "register.tsv")) == 300


@pytest.mark.parametrize("arguments, message", [
    (["corpus", "--split", "tset"], "invalid choice: 'tset'"),
    (["corpus", "--show", "0"], "must be a whole number of 1 or more, up to nine "
     "digits; got '0'"), (["corpus", "--show", "many"], "got 'many'"),
    ([], "required: COMMAND"), (["corpus", "--shwo", "3"], "unrecognized arguments"),
])
def test_wrong_arguments_get_one_sentence(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    text = capsys.readouterr().err
    assert stop.value.code == 2 and message in text and text.count("\n") == 1


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    with pytest.raises(SystemExit, match="file: File exists"):
        main(["corpus", "--split", "agree", "--export", str(tmp_path / "file")])


def test_gloss_says_what_morphemes_mean_behind_each_other():
    tokens, right = 0, 0
    for pair in corpus.split("iid"):
        meanings = corpus.gloss(pair.morphemes)
        assert len(meanings) == len(pair.target)
        tokens += len(meanings)
        right += sum(meaning == token.gloss
                     for meaning, token in zip(meanings, pair.target))
    assert right / tokens > 0.99
    assert corpus.gloss([]) == []
    assert corpus.gloss(["외계인"]) == ["외계인"]
    subject, verb = corpus.gloss(["학생", "-은"]), corpus.gloss(["작", "-은"])
    assert (subject[1], verb[1]) == ("TOP", "REL")
