"""The table of the model card, from the results that come with the package.

`make quotes` writes it between its marks; a test says if it is no longer true.
"""

import json
import re

TABLE = re.compile(r"<!-- real models -->.*?<!-- /real models -->", re.DOTALL)
TESTS = {"test_2016_flickr": "Test 2016", "test_2017_flickr": "Test 2017"}
MEASURES = {"cased": "BLEU, cased", "lower-cased": "BLEU, lower-cased",
            "tokenised": "BLEU, tokenised and lower-cased", "chrf": "chrF"}


def with_models(page, root):
    """Writes the table of all results of real text into a page that has its marks."""
    files = sorted((root / "src/softdict/assets/real_text").glob("*.[0-9].json"))
    if not TABLE.search(page) or not files:
        return page
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    rows = ["<!-- real models -->",
            row("Model", [f"`{record['experiment']}`" for record in records]),
            "|---" * (len(records) + 1) + "|",
            row("Weights, in millions",
                [f"{record['parameters'] / 1e6:.1f}" for record in records])]
    rows += [row(f"{name}: {words}", [interval(record["scores"][test][measure])
                                      for record in records])
             for test, name in TESTS.items() for measure, words in MEASURES.items()]
    chosen = [record["chosen"] for record in records]
    rows += [row("Beam and length penalty, chosen on the validation pairs",
                 [f"{one['beam size']}, {one['penalty']}" for one in chosen]),
             row("Seed", [record["seed"] for record in records]),
             row("Scored on", [record["hardware"] for record in records])]
    return TABLE.sub(lambda _: "\n".join([*rows, "<!-- /real models -->"]), page)


def row(name, cells):
    return f"| {' | '.join(map(str, [name, *cells]))} |"


def interval(score):
    value, low, high, _ = score
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"
