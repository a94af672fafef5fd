"""The table of the model card, from two results made for it."""

import json
import re

from books import ROOT
from real_models import with_models
from softdict.texts.real_text import multi30k
from test_real_text import DATA, needs_data

PAGE = "# Card\n\n<!-- real models -->\nold\n<!-- /real models -->\n\nMore."


def result(name, seed, score):
    tests = {test: {measure: [score + far, score - 1.04, score + 1, "signature"]
                    for far, measure in enumerate(
                        ("cased", "lower-cased", "tokenised", "chrf"))}
             for test in ("test_2016_flickr", "test_2017_flickr")}
    return {"experiment": name, "seed": seed, "parameters": 2_560_000, "scores": tests,
            "chosen": {"beam size": 5, "penalty": 0.6}, "hardware": "a CPU"}


def test_the_table_holds_every_result_and_stays_when_written_again(tmp_path):
    folder = tmp_path / "src/softdict/assets/real_text"
    folder.mkdir(parents=True)
    assert with_models(PAGE, tmp_path) == PAGE    # no result, nothing is claimed
    (folder / "counts.json").write_text("{}", encoding="utf-8")
    for name, seed, score in (("one-de-en", 0, 30.25), ("two-en-de", 3, 40)):
        (folder / f"{name}.{seed}.json").write_text(
            json.dumps(result(name, seed, score)), encoding="utf-8")
    page = with_models(PAGE, tmp_path)
    assert page.startswith("# Card\n\n<!-- real") and page.endswith("-->\n\nMore.")
    assert "| Model | `one-de-en` | `two-en-de` |\n|---|---|---|\n" in page
    assert "| Weights, in millions | 2.6 | 2.6 |" in page
    assert "| Test 2017: chrF | 33.2 [29.2, 31.2] | 43.0 [39.0, 41.0] |" in page
    assert "| Seed | 0 | 3 |" in page and "old" not in page
    assert with_models(page, tmp_path) == page
    assert with_models("# Another page", tmp_path) == "# Another page"


@needs_data
def test_what_the_card_counts_is_what_the_data_holds():
    card = (ROOT / "book/model_card.md").read_text("utf-8")
    german, english = zip(*multi30k("train", "de", "en", DATA / "multi30k"))
    test = [text for _, text in multi30k("test_2016_flickr", "de", "en",
                                         DATA / "multi30k")]

    cut = {texts: [re.findall(r"\w+", text.casefold()) for text in texts]
           for texts in (english, german)}

    def times(*forms, texts=english):
        return sum(word in forms for row in cut[texts] for word in row)

    def sentences(*forms):
        return sum(any(form in row for form in forms) for row in cut[english])

    lengths = [len(text.split()) for text in english]
    for claim in (
            f"Of the {len(english):,} English sentences of the training, "
            f"{sum('?' in text for text in english)} hold a question mark, and "
            f"{sentences('you', 'your')} say *you* or *your*.",
            f"A training sentence has {sum(lengths) / len(lengths):.0f} English words "
            f"on average, and {max(lengths)} at most. Of the {len(test):,} test "
            f"sentences, {sum(len(text.split()) >= 25 for text in test)} have 25",
            f"*Man* or *men* stands there {times('man', 'men'):,} times, *woman* or "
            f"*women* {times('woman', 'women'):,} times.",
            f"*Asian* stands in {sentences('asian')} sentences, *Caucasian* in "
            f"{sentences('caucasian')}.",
            f"*Spieler*, player, stands there {times('spieler', texts=german)} times, "
            "*Spielerin* and *Spielerinnen* "
            f"{times('spielerin', 'spielerinnen', texts=german)} times."):
        assert claim in card, claim
