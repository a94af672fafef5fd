"""The Transformer in the page: in a real browser it equals the package's, and it can be
used by keyboard, in both themes, on a phone, and with whatever a link brings."""

import base64
import copy
import json
import queue
import re
import shutil
import subprocess
import threading
from functools import cache, partial
from http.server import ThreadingHTTPServer

import live_data
import numpy
import pages
import pictures
import pytest
import torch
from books import ROOT
from browsing import axe_is_silent
from markdown_it import MarkdownIt
from softdict import corpus
from softdict.attention import sdpa
from softdict.batches import make_batch
from softdict.decoding import beam_search, greedy
from softdict.heads import MultiHeadAttention
from softdict.programs.translator import bundled, left_out, words_of
from softdict.transformer import all_weights
from softdict.vocab import BOS, PAD

pytestmark = pytest.mark.skipif(not pages.browser_path(), reason="no Chromium here")
TEXT = (ROOT / "book/translator.md").read_text("utf-8")
PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Live</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="static/book.css">
<link rel="stylesheet" href="web/translator.css">
<style>body {{ background: var(--pst-color-background); color: var(--ink) }}
a {{ color: var(--pst-color-link) }}</style>
<script type="module" src="web/translator.js"></script></head><body><main>
<article class="bd-article"><section>{}</section></article></main></body></html>"""
KINDS = "encoder.{}.self", "decoder.{}.self", "decoder.{}.cross"
HEADS = [f"{kind.format(layer)}.{head}"
         for kind in KINDS for layer in range(2) for head in range(4)]
LIMIT = 1e-4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small site: the page of the book, its style, and what the page loads."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:    # this page has no other figure
        patch.setattr(live_data, "write_figures", lambda *given, **more: None)
        live_data.write_live(folder / "web")
    shutil.copytree(ROOT / "book/static", folder / "static")
    shutil.copytree(ROOT / "book/images", folder / "images")
    html = MarkdownIt("commonmark").enable("table").render(TEXT)
    (folder / "index.html").write_text(
        PAGE.format(re.sub(r"\{width=\w+\}", "", html)), "utf-8")
    return folder


@pytest.fixture(scope="module")
def browser(folder):
    with pages.Browser(folder) as browser:
        yield browser


@pytest.fixture
def opened(browser):
    """Opens a page of the site; nothing may go wrong in it, or be asked from outside.

    its list `problems` can be emptied by a test that wants some
    """
    found = []

    def opened(fragment="", width=1200, run=True):
        page = browser.open(f"index.html{fragment}", found, width)
        page.problems = found
        page.emulate_media(reduced_motion="reduce")
        if run:
            page.get_by_role("button", name="Run it").click()
            page.wait_for_selector("book-translator.running")
        return page

    yield opened
    browser.close_pages()
    assert not found


def settled(page):
    page.wait_for_selector(".result[aria-busy=false]")
    return page.locator(".line [lang=ko]").inner_text()


def typed(page, sentence):
    page.fill("#translator-sentence", sentence)
    page.press("#translator-sentence", "Enter")


# Equal to PyTorch ---------------------------------------------------------------------


def sentences():
    """50 pairs: the first of each length from 4 to 40 words, then the second ones."""
    found = {}
    for name in ("iid", "long"):
        for pair in corpus.split(name):
            found.setdefault(len(pair.words) - 1, []).append(pair)
    assert set(found) == set(range(4, 41))
    return [found[length][turn] for turn in (0, 1) for length in sorted(found)][:50]


@pytest.fixture(scope="module")
def pairs():
    """Ids of the 50 sources and of their gold targets, BOS in front."""
    saved = bundled()
    return [(saved.source_vocab.ids(pair.words),
             [BOS, *saved.target_vocab.ids(pair.morphemes, "UNK")])
            for pair in sentences()]


RUN = """async ([pairs, change, stepped]) => {
  const { load } = await import("/web/translator.js"), kept = new Map();
  const { words, build } = window.loaded ??= await load();
  const model = build(change, kept), numbers = [];
  const allowed = change.hidden ? (_, s) => s > 0 : undefined;
  const names = NAMES;
  for (const [source, target] of pairs) {
    kept.clear();
    let rows, maps = {};
    if (stepped) {
      let state = model.start(source, allowed), logits;
      rows = [];
      for (const id of target) {
        ({ logits, state } = model.step(id, state));
        rows.push(logits);
        for (const [name, [row]] of kept) if (name.startsWith("decoder"))
          (maps[name] ??= []).push([...row, ...Array(name.includes("self")
            ? target.length - row.length : 0).fill(0)]);
      }
      for (const [name, map] of kept) if (name.startsWith("encoder")) maps[name] = map;
    } else {
      rows = model.forward(source, target, allowed);
      maps = Object.fromEntries(kept);
    }
    numbers.push(...rows.map(row => Array.from(row)),
                 ...names.flatMap(name => maps[name].map(row => Array.from(row))));
  }
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([Float32Array.from(numbers.flat())]));
  await new Promise(done => { reader.onload = done; });
  return reader.result.split(",")[1];
}""".replace("NAMES", json.dumps(HEADS))


def page_numbers(page, pairs, change={}, stepped=False):
    """For each pair the page's logits [T, V], then its maps in the order of HEADS."""
    yield from numbers_of(page.evaluate(RUN, [pairs, change, stepped]), pairs)


def numbers_of(told, pairs):
    """The same, from the text that RUN gives."""
    told, words = base64.b64decode(told), 443
    left = torch.from_numpy(numpy.frombuffer(told, "<f4").copy())
    for source, target in pairs:
        S, T = len(source), len(target)
        shapes = [(T, words)] + [(S, S)] * 8 + [(T, T)] * 8 + [(T, S)] * 8
        sizes = [rows * columns for rows, columns in shapes]
        here, left = left[:sum(sizes)], left[sum(sizes):]
        yield [part.view(shape) for part, shape in zip(here.split(sizes), shapes)]
    assert not len(left)


@torch.no_grad()
def torch_numbers(model, source, target):
    """The same of PyTorch."""
    given = (torch.tensor([source]), torch.tensor([len(source)]),
             torch.tensor([target]))
    maps = [layer[0, head] for kind in all_weights(model, *given)
            for layer in kind for head in range(4)]
    return [model(*given)[0], *maps]


def broken(ablated=(), positions=True, hidden=False):
    """The package's Transformer with parts ablated or taken away."""
    model = copy.deepcopy(bundled().model)
    for name, part in model.named_modules():
        if isinstance(part, MultiHeadAttention):
            stack, _, layer, kind = name.split(".")
            kept = torch.tensor([f"{stack}.{layer}.{kind.split('_')[0]}.{head}"
                                 not in ablated for head in range(4)])
            part.attend = lambda q, k, v, allowed, kept=kept[:, None, None]: (
                sdpa(q, k, v, allowed)[0] * kept, None)
    if hidden:
        def encode(source, lengths):
            allowed = torch.arange(source.shape[1]).view(1, 1, -1) > 0
            return model.encoder(source, allowed), allowed
        model.encode = encode
    if not positions:
        for stack in (model.encoder, model.decoder):
            stack.embedding.forward = lambda ids, _, one=stack.embedding: (
                one.table(ids) * one.table.embedding_dim ** 0.5)
    return model


@pytest.mark.parametrize("stepped", (False, True), ids=("at once", "step by step"))
def test_scores_and_all_weights_equal_torchs(opened, pairs, stepped):
    equal_to_torch(page_numbers(opened(run=False), pairs, stepped=stepped), pairs)


def equal_to_torch(found, pairs):
    for (source, target), mine in zip(pairs, found, strict=True):
        theirs = torch_numbers(bundled().model, source, target)
        for name, one, other in zip(["logits", *HEADS], mine, theirs, strict=True):
            assert (one - other).abs().max() < LIMIT, (name, len(source))


@pytest.mark.parametrize("change", (
    {"ablated": ["decoder.1.cross.0", "encoder.0.self.3"]}, {"positions": False},
    {"hidden": True}, {"ablated": HEADS[8:12], "positions": False, "hidden": True}),
    ids=("heads", "positions", "first word", "all"))
def test_a_broken_machine_is_broken_as_torchs(opened, pairs, change):
    some, model = pairs[::16], broken(**change)
    page = opened(run=False)
    for stepped in (False, True):
        mine = page_numbers(page, some, change, stepped)
        for (source, target), [logits, *_] in zip(some, mine, strict=True):
            given = (torch.tensor([source]), torch.tensor([len(source)]),
                     torch.tensor([target]))
            with torch.no_grad():
                assert (logits - model(*given)[0]).abs().max() < LIMIT


DECODE = """async sources => {
  const { load, translate } = await import("/web/translator.js");
  const { build } = await load(), model = build();
  return sources.map(source => [
    [...translate(model, source, { way: "greedy" }).ids],
    translate(model, source, { way: "beam", beamSize: 5 }).found]);
}"""


def test_greedy_and_beam_give_the_packages_words(opened, pairs):
    batch = make_batch(pairs)
    given = bundled().model, batch.source, batch.source_lengths
    found = opened(run=False).evaluate(DECODE, [source for source, _ in pairs])
    for mine, theirs, (words, beams) in zip(greedy(*given), beam_search(*given), found):
        assert words == mine
        assert beams[0]["ids"] == theirs[0].ids
        assert [beam["score"] for beam in beams] == pytest.approx(
            [beam.score for beam in theirs], abs=LIMIT)
        assert beams[0]["logProbability"] == pytest.approx(theirs[0].log_probability,
                                                           abs=LIMIT)


def test_a_short_limit_gives_what_the_packages_beam_gives(opened, pairs):
    source = pairs[20][0]
    script = """async ([source, size, limit]) => {
      const { load } = await import("/web/translator.js"), { build } = await load();
      const { beamSearch } = await import("/web/decoding.js");
      return beamSearch(build(), source, size, 0.6, undefined, limit);
    }"""
    page, given = opened(run=False), (torch.tensor([source]), [len(source)])
    for size, limit in ((1, 100), (3, 4), (10, 1), (2, 12)):
        [theirs] = beam_search(bundled().model, given[0], torch.tensor(given[1]), size,
                               max_length=limit)
        mine = page.evaluate(script, [source, size, limit])
        assert [beam["ids"] for beam in mine] == [beam.ids for beam in theirs]


def test_sampling_draws_by_the_models_shares(opened):
    drawn = opened(run=False).evaluate("""async () => {
      const { sample } = await import("/web/decoding.js");
      const { chance } = await import("/web/translator.js");
      const logits = Float32Array.from([9, -1, 9, 0.5, 1, 2]), random = chance(7);
      return Array.from({ length: 20000 }, () => sample(0.5, random)(logits));
    }""")
    shares = torch.tensor([-1, 0.5, 1.0, 2.0]).div(0.5).softmax(0).tolist()
    for id, share in zip((1, 3, 4, 5), shares):    # PAD and BOS are never drawn
        spread = (share * (1 - share) / 20000) ** 0.5
        assert abs(drawn.count(id) / 20000 - share) < 4 * spread
    assert set(drawn) <= {1, 3, 4, 5}


# Words --------------------------------------------------------------------------------


def test_typed_sentences_are_read_as_the_package_reads_them(opened):
    script = """async texts => {
      const { load } = await import("/web/translator.js"), { words } = await load();
      return texts.map(text => words.read(text));
    }"""
    texts = ["Mina saw the old man who slept.", "the DOG, and MINSU slept",
             "  because the cat was hungry,the dog did not sleep!", "THE dog's",
             "the dog_sleeps", "3 dogs", "¿the dog?", "the 🐕‍🦺 saw 🐈!", "the dog ❤️s",
             "the dog didn't sleep", "the dog didn’t, and the cat doesn't sleep",
             "“the dog” – slept…", "it's $5", "can't n't", "'the dog'", "dogs' food",
             "the dog; the cat slept.", "(the dog slept).", "the dog slept?!", "a.b",
             "the dog slept...", "the dog, slept ! ", "the old-happy--dog - slept",
             "the dog？", "the dog slept. the cat slept"]
    for text, mine in zip(texts, opened(run=False).evaluate(script, texts)):
        assert mine.pop("left") == left_out(text)
        try:
            assert mine == {"words": words_of(text)[1:], "unknown": []}
        except ValueError as refusal:
            assert mine["unknown"] and all(repr(word) in str(refusal)
                                           for word in mine["unknown"])


def test_korean_is_written_romanised_and_glossed_as_in_the_package(opened):
    saved = bundled()
    rows = [pair.morphemes for name in ("iid", "long", "register")
            for pair in corpus.split(name)]
    ids = [saved.target_vocab.ids(row) for row in rows
           if all(form in saved.target_vocab for form in row)]
    told = opened(run=False).evaluate("""async rows => {
      const { load } = await import("/web/translator.js"), { words } = await load();
      return rows.map(ids => [words.line(ids), words.pieces(ids).map(one => one.gloss),
                              words.pieces(ids).map(one => one.letters)]);
    }""", ids)
    assert len(ids) > 1500
    for row, (line, glosses, letters) in zip(map(saved.target_vocab.tokens, ids), told):
        assert line == corpus.join(row)
        assert glosses == corpus.gloss(row)
        assert letters == [corpus.romanise(form) for form in row]


def test_unknown_words_are_named_with_near_ones_that_can_be_taken(opened):
    page = opened()
    typed(page, "teh dog saw the elephnt and xqzw")
    told = page.locator("[role=alert]")
    assert re.sub(r"\s+", " ", told.inner_text()).startswith(
        "It knows 784 English words, and not “teh”: perhaps the")
    assert "“xqzw”." in told.inner_text() and not page.locator(".line").count()
    told.get_by_role("button", name="the", exact=True).click()
    assert page.input_value("#translator-sentence").startswith("the dog saw the eleph")
    typed(page, "the dog slept")
    assert settled(page) == "개는 잤어요" and not told.inner_text()
    page.fill("#translator-sentence", "the cat slept")
    page.get_by_label("formal").check()    # what is typed is translated, not lost
    assert settled(page) == "고양이는 잤습니다"
    typed(page, "  ?! ")
    assert told.inner_text() == "Type an English sentence."
    typed(page, "x")    # another letter would be another word
    assert told.inner_text().endswith("and not “x”.")
    typed(page, "the " * 49)
    assert told.inner_text() == "The sentence has 49 words; here it reads at most 48."


def test_signs_that_are_left_out_are_named(opened):
    page = opened()
    told = page.locator("[role=alert]")
    typed(page, "(the dog) – slept;")
    assert settled(page) == "개는 잤어요"
    assert told.inner_text() == (
        "It knows 784 English words, and not “(”, “)”, “–”, “;”: left out.")
    typed(page, "the cat slept!")
    assert settled(page) == "고양이는 잤어요" and not told.inner_text()
    typed(page, "the dog; " + "the dog " * 12)    # both are said
    settled(page)
    assert told.inner_text() == (
        "It knows 784 English words, and not “;”: left out. The sentence has 26 words, "
        "and the model was trained on at most 24.")


# The ready list -----------------------------------------------------------------------


def written(sentence, register="polite", beam=0, **change):
    """What the package's Transformer writes, whole or broken: its glosses."""
    return [*kept_glosses(sentence, register, beam, json.dumps(change))]


@cache    # several tests ask for the same
def kept_glosses(sentence, register, beam, change):
    saved, model = bundled(), broken(**json.loads(change))
    source = torch.tensor([saved.source_vocab.ids(words_of(sentence, register))])
    lengths = torch.tensor([source.shape[1]])
    ids = (beam_search(model, source, lengths, beam)[0][0].ids if beam
           else greedy(model, source, lengths)[0])
    return corpus.gloss(saved.target_vocab.tokens(ids))


FRONT = "the old man who saw Mina slept"
OLD = "Mina saw the old man who slept"
SEEN = "the teacher who the students saw laughed"
GIRLS = ("when the girls who kicked the ball that is in the old house played, "
         "Mina baked bread and the cake")
COUNTED = "two dogs saw three cats"


def order(glosses, *wanted):
    return [gloss for gloss in glosses if gloss in wanted] == list(wanted)


def looked():
    """Where the mean of all cross-attention looks most, by the gloss of each piece."""
    saved, words, forms = bundled(), words_of(FRONT), told_forms(FRONT)
    maps = torch_numbers(saved.model, saved.source_vocab.ids(words),
                         [BOS, *saved.target_vocab.ids(forms)])[17:]
    most = torch.stack(maps).mean(dim=0).argmax(dim=-1).tolist()
    return dict(zip(corpus.gloss(forms), [words[place] for place in most]))


def last_piece_differs():
    several = [written("the child slept", name)
               for name in ("polite", "formal", "plain")]
    return (len({tuple(one[:-1]) for one in several}) == 1
            and len({one[-1] for one in several}) == 3)


def order_of_the_beam():
    saved = bundled()
    source = torch.tensor([saved.source_vocab.ids(words_of(GIRLS))])
    [beam] = beam_search(saved.model, source, torch.tensor([source.numel()]))
    first, second = beam[:2]
    return ("girl" in corpus.gloss(saved.target_vocab.tokens(first.ids))
            and [second.ids] == greedy(saved.model, source,
                                       torch.tensor([source.numel()]))
            and "girl" not in written(GIRLS)
            and second.log_probability > first.log_probability)


def drawn(page, temperature, seeds):
    return page.evaluate("""async ([sentence, temperature, seeds]) => {
      const { load, translate } = await import("/web/translator.js");
      const { words, build } = await load(), model = build();
      const ids = words.ids(["<polite>", ...words.read(sentence).words]);
      return seeds.map(seed => {
        const state = { way: "sampled", temperature, seed };
        return [...translate(model, ids, state).ids];
      });
    }""", [SEEN, temperature, seeds])


def rarely_another(page):
    """At temperature 2 mostly another sentence than greedy's, at 1 seldom."""
    saved = bundled()
    source = torch.tensor([saved.source_vocab.ids(words_of(SEEN))])
    [ids] = greedy(saved.model, source, torch.tensor([source.numel()]))
    cool, hot = (drawn(page, temperature, list(range(1, 21)))
                 for temperature in (1, 2))
    return cool.count(ids) >= 18 and hot[0] != ids and hot.count(ids) <= 10


# what each line says, by the words that begin it
SAID = {
    "Korean says it": lambda page: (
        order(written(FRONT), "Mina", "see", "old", "man", "sleep")
        and looked().items() >= {"Mina": "Mina", "see": "saw", "old": "old",
                                 "man": "man", "sleep": "slept"}.items()),
    "Choose another register": lambda page: last_piece_differs(),
    "Nobody told it": lambda page: (
        written("the grandfather slept")[:2] == ["grandfather", "HON.SUBJ"]
        and written("the grandfather slept")[3] == "sleep"
        and "주무시" in told_forms("the grandfather slept")
        and "주무시" not in told_forms("the child slept")),
    "Korean counts": lambda page: written(COUNTED).count("COUNT") == 2,
    "A mistake": lambda page: "PAST" in written("the puppy sleeps"),
    "Without positions": lambda page: all(
        order(written(text, positions=False), "cat", "dog", "see")
        for text in ("the dog saw the cat", "the cat saw the dog")),
    "One head of 24": lambda page: (
        [gloss for gloss in written(OLD) if gloss != "old"].count("man") == 1
        and written(OLD, ablated=["decoder.1.cross.0"])
        == [gloss for t, gloss in enumerate(written(OLD)) if t not in (4, 5)]
        and written(OLD)[4:6] == ["old", "REL"]),
    "Head 3 of the decoder": lambda page: (
        written(SEEN)[-3:-1] == ["HON", "PAST"]
        and written(SEEN, ablated=["decoder.0.self.3"])
        == [gloss for gloss in written(SEEN) if gloss != "HON"]),
    "The source's first word": lambda page: (
        written(COUNTED, hidden=True).count("see") > 1 == written(COUNTED).count("see")
        and all(pair.words[0].startswith("<") for pair in corpus.split("valid"))),
    "Greedy loses the girls": lambda page: order_of_the_beam(),
    "At temperature 2": rarely_another,
}


def told_forms(sentence):
    saved = bundled()
    source = torch.tensor([saved.source_vocab.ids(words_of(sentence))])
    [ids] = greedy(saved.model, source, torch.tensor([source.numel()]))
    return saved.target_vocab.tokens(ids)


def test_every_line_of_the_ready_list_is_true(opened):
    page = opened(run=False)
    listed = page.evaluate("import('/web/examples.js').then(made => made.EXAMPLES)")
    assert len(listed) == len(SAID)
    for example, (start, is_true) in zip(listed, SAID.items()):
        assert example["note"].startswith(start)
        assert is_true(page), example["note"]


def test_the_list_shows_what_it_says(opened):
    page = opened()
    for place, example in enumerate(page.evaluate(
            "import('/web/examples.js').then(made => made.EXAMPLES)")):
        page.locator(".ready summary").click()
        page.locator(".ready li button").nth(place).click()
        line = settled(page)
        assert page.locator(".note").inner_text() == example["note"]
        glosses = page.locator(".pieces .gloss").all_inner_texts()[:-1]
        if example.get("way") != "sampled":
            change = {name: example[name] for name in
                      ("ablated", "positions", "hidden") if name in example}
            assert glosses == written(
                example["sentence"], example.get("register", "polite"),
                5 if example.get("way") else 0, **change), line
        whole = page.locator(".whole").count()
        assert whole == bool({"ablated", "positions", "hidden"} & set(example))


def test_the_front_page_and_the_page_gloss_alike():
    assert [name.split()[1] for name in pictures.KOREAN] == written(FRONT)


def test_the_static_twin_says_what_the_package_writes():
    saved, sentence = bundled(), "the puppy sleeps"
    source = saved.source_vocab.ids(words_of(sentence))
    ids = saved.target_vocab.ids(told_forms(sentence))
    shares = torch_numbers(saved.model, source, [BOS, *ids])[0].softmax(dim=-1)
    rows = []
    for t, (two, places) in enumerate(zip(*shares.topk(2))):
        first, second = saved.target_vocab.tokens(places.tolist())
        glosses = [corpus.gloss([*saved.target_vocab.tokens(ids[:t]), form])[-1]
                   for form in (first, second)]
        form = "`<eos>`" if first == "<eos>" else f"{first} {corpus.romanise(first)}"
        gloss = "the end" if first == "<eos>" else glosses[0]
        other = f"{second} {corpus.romanise(second)} ({glosses[1]})"
        rows.append(f"| {t + 1} | {form} | {gloss} | {100 * two[0]:.1f} % | {other} | "
                    f"{100 * two[1]:.1f} % |")
    assert re.findall(r"^\| \d.*$", TEXT, re.MULTILINE) == rows


# The page -----------------------------------------------------------------------------


def test_it_fetches_what_it_says_and_only_when_asked(opened, folder):
    page, asked = opened(run=False), []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.reload(wait_until="networkidle")
    assert "words.json" not in asked and not any("weights-" in name for name in asked)
    page.get_by_role("button", name="Run it").click()
    page.wait_for_selector("book-translator.running")
    assert "words.json" in asked and sum("weights-" in name for name in asked) == 1
    sizes = {file.name: file.stat().st_size for file in (folder / "web").iterdir()}
    held_back = sum(sizes[name] for name in set(asked) & set(sizes)
                    if not name.endswith(("js", "css")))
    assert sum(sizes[name] for name in set(asked) & set(sizes)) <= 2.5e6
    assert f"fetches {held_back / 1e6:.1f} MB" in (
        folder / "web/translator.js").read_text("utf-8")
    assert len((folder / "web/transformer.js").read_text("utf-8").splitlines()) < 200


def test_the_steps_and_the_maps_are_the_models(opened):
    page, saved = opened(), bundled()
    typed(page, "the puppy sleeps")
    settled(page)
    page.locator(".pieces button").nth(3).click()
    rows = [row.split("\n") for row in page.locator(".likeliest li").all_inner_texts()]
    assert [row[2:] for row in rows[:2]] == [["PAST", "96.4 %"], ["POLITE", "3.4 %"]]
    source = saved.source_vocab.ids(words_of("the puppy sleeps"))
    target = [BOS, *saved.target_vocab.ids(told_forms("the puppy sleeps"))]
    maps = dict(zip(HEADS, torch_numbers(saved.model, source, target)[1:]))
    for name in ("encoder.1.self.2", "decoder.0.self.1", "decoder.1.cross.3"):
        page.locator(f"[data-name='{name}']").click()
        cells = page.eval_on_selector_all(".weights tbody tr", """rows => rows.map(
            row => [...row.querySelectorAll("td")].map(cell => cell.textContent))""")
        shown = [[float(cell or 0) for cell in row] for row in cells]
        torch.testing.assert_close(torch.tensor(shown), maps[name], atol=0.0051, rtol=0)
        assert page.locator(".weights td.hidden").count() == (maps[name] == 0).sum()


def test_what_was_drawn_is_shown_though_five_others_are_likelier(opened):
    page, saved = opened(f"#sentence={SEEN}&way=sampled&temperature=2"), bundled()
    settled(page)
    [ids] = drawn(page, 2, [1])
    logits = torch_numbers(saved.model, saved.source_vocab.ids(words_of(SEEN)),
                           [BOS, *ids])[0]
    logits[:, [PAD, BOS]] = -torch.inf    # never drawn
    for t, id in enumerate(ids):
        place = int((logits[t] > logits[t, id]).sum()) + 1
        page.locator(".pieces button").nth(t).click()
        rows = page.locator(".likeliest li")
        assert rows.count() == 5 + (place > 5)
        assert rows.nth(min(place, 6) - 1).get_attribute("class") == "taken"
        title = page.locator(".step h3").inner_text()
        assert title.endswith(f", and number {place}, which it wrote") == (place > 5)


def test_the_beam_is_glossed_and_no_zero_has_a_sign(opened):
    page = opened(f"#sentence={GIRLS}&way=beam")
    settled(page)
    glosses = page.locator(".beams .letters").all_inner_texts()
    assert glosses[0] == " ".join(written(GIRLS, beam=5)) and len(glosses) == 5
    told = page.evaluate("""async () => [-0.004, 0, -0.006, -1.5].map(
        (await import("/web/decoding.js")).signed)""")
    assert told == ["0.00", "0.00", "−0.01", "−1.50"]


def test_below_a_head_stands_what_is_written_with_it(opened):
    page = opened(f"#sentence={OLD}&way=beam")
    settled(page)
    below = page.locator(".large .quiet")
    assert not below.count()    # the mean of all is silenced by nothing
    page.locator("[data-name='decoder.1.cross.0']").click()
    whole = settled(page)
    assert below.inner_text() == f"It writes: {whole}"
    page.locator(".beams button").nth(1).click()
    assert below.inner_text() == f"It writes: {settled(page)}" != f"It writes: {whole}"
    page.get_by_label("silence this head").check()
    assert below.inner_text() == f"It writes: {settled(page)}" != f"It writes: {whole}"


def test_keyboard_alone_does_everything(opened):
    page = opened(run=False)

    def reach(selector):
        for _ in range(200):
            if page.evaluate("wanted => document.activeElement?.matches(wanted)",
                             selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by Tab")

    reach(".live button")
    page.keyboard.press("Enter")
    page.wait_for_selector("book-translator.running")
    settled(page)
    reach("#translator-sentence")    # where the focus is now
    page.keyboard.press("Control+a")
    page.keyboard.type("two dogs saw the stud")
    options = page.get_by_role("option")
    assert options.all_inner_texts()[0] == "student"
    page.keyboard.press("ArrowDown")
    chosen = page.get_attribute("#translator-sentence", "aria-activedescendant")
    assert page.locator(f"#{chosen}").get_attribute("aria-selected") == "true"
    page.keyboard.press("Enter")
    assert page.input_value("#translator-sentence") == "two dogs saw the student "
    page.keyboard.type("s")
    page.keyboard.press("Escape")
    assert not options.count()
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    assert settled(page) == "개 두 마리가 학생을 봤어요"
    reach("[name=translator-register]")
    page.keyboard.press("ArrowDown")
    assert settled(page) == "개 두 마리가 학생을 봤습니다"
    reach("[name=translator-way]")
    page.keyboard.press("ArrowDown")
    settled(page)
    reach(".beams button[aria-pressed=false]")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    reach("[name=translator-way]")    # from the end around to the form
    page.keyboard.press("ArrowUp")
    settled(page)
    reach(".pieces li:nth-child(3) button")
    page.keyboard.press("Space")
    assert page.locator("h3").first.inner_text().startswith("Step 3 of")
    reach("[data-name='decoder.0.cross.0']")
    page.keyboard.press("Enter")
    reach(".scroll")    # a wide map is scrolled by arrows
    reach(".silence input")
    page.keyboard.press("Space")
    settled(page)
    assert page.evaluate("document.activeElement.matches('.silence input:checked')")
    assert page.locator(".whole").count() == 1
    reach(".ready summary")
    page.keyboard.press("Enter")
    reach(".ready li:nth-child(6) button")
    page.keyboard.press("Enter")
    assert settled(page) == "고양이는 개를 봤어요"


DAMAGES = {
    "cut short": lambda content: content[:-1000],
    "a flipped bit": lambda content: (content[:-50] + bytes([content[-50] ^ 1])
                                      + content[-49:]),
    "empty": lambda content: b"",
    "a page in its place": lambda content: b"<!doctype html><title>no</title>" * 99,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_weights_give_one_sentence_and_a_second_try(opened, folder, damage):
    page = opened(run=False)
    [file] = (folder / "web").glob("weights-*")
    pattern, content = f"**/{file.name}", DAMAGES[damage](file.read_bytes())
    page.route(pattern, lambda route: route.fulfill(body=content))
    page.get_by_role("button", name="Run it").click()
    page.wait_for_selector("[role=alert]")
    [told] = page.locator("[role=alert]").all_inner_texts()
    assert told.startswith("The file of weights is damaged: its checksum differs.")
    page.unroute(pattern)
    page.get_by_role("button", name="Run it").click()
    assert settled(page)


def test_missing_weights_give_one_sentence(opened):
    page = opened(run=False)
    page.route("**/weights-*", lambda route: route.fulfill(status=404, body="no"))
    page.get_by_role("button", name="Run it").click()
    page.wait_for_selector("[role=alert]")
    assert re.fullmatch(r"weights-\w+\.safetensors could not be fetched \(404\)\. "
                        r"Try again later\.",
                        page.locator("[role=alert]").inner_text())
    page.problems[:] = [problem for problem in page.problems if "404" not in problem]


@pytest.mark.parametrize(["start", "body", "words"], (
    (b"\xff" * 8, b"", "it ends within its header"),
    (b"\x05" + bytes(7), b"{oops", "its header is no JSON"),
    (None, {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
     "a is no tensor of 16-bit numbers"),
    (None, {"a": {"dtype": "F16", "shape": [9], "data_offsets": [0, 18]}},
     "a has not its place in it"),
    (None, {"a": {"dtype": "F16", "shape": [-1], "data_offsets": [2, 0]}},
     "a has not its place in it"),
    (None, {"a": {"dtype": "F16", "shape": "1", "data_offsets": [0, 2]}},
     "a has not its place in it"),
    (None, {"a": None}, "a is no tensor of 16-bit numbers"),
    (None, {"a": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}},
     "a holds what is no number")))
def test_a_file_that_is_no_weights_is_refused(opened, start, body, words):
    if start is None:
        header = json.dumps(body).encode()
        start, body = len(header).to_bytes(8, "little"), header + b"\x00\x7c\x00\x00"
    told = opened(run=False).evaluate("""async bytes => {
      const { readWeights } = await import("/web/weights.js");
      try {
        readWeights(Uint8Array.from(bytes).buffer);
      } catch (error) { return error.message; }
    }""", list(start + body))
    assert told == f"The file of weights is damaged: {words}. Load the page again."


def test_all_numbers_of_16_bits_are_read_as_torch_reads_them(opened, tmp_path):
    bits = torch.arange(2 ** 16).to(torch.int16).view(torch.float16)
    finite = bits[bits.isfinite()]
    content = live_data.safetensors.torch.save({"all": finite})
    told = opened(run=False).evaluate("""async bytes => {
      const { readWeights, adler32 } = await import("/web/weights.js");
      const given = Uint8Array.from(atob(bytes), one => one.charCodeAt(0));
      return [Array.from(readWeights(given.buffer).get("all").numbers), adler32(given)];
    }""", base64.b64encode(content).decode())
    assert torch.equal(torch.tensor(told[0]), finite.float())
    assert told[1] == live_data.zlib.adler32(content)


HOSTILE = (
    "#sentence=<img src=x onerror=document.title='hit'>&register=<b>&way=constructor",
    "#sentence=%3Cscript%3Edocument.title='hit'%3C/script%3E&silenced=__proto__",
    "#sentence=" + "a" * 100_000, "#sentence=%E0%A4%A&beamSize=1e9&way=beam",
    "#sentence=the dog slept&beamSize=-3&way=beam&temperature=NaN&seed=Infinity",
    "#sentence=the dog slept&way=sampled&temperature=0&seed=-1"
    "&ablated=encoder.9.self.9",
    "#sentence=%00%1b%E2%80%AEthe dog slept", "#&&&==%%", "#sentence=",
    "#sentence=javascript:alert(1)&register=polite&sentence=2")


@pytest.mark.parametrize("fragment", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_link_is_harmless(opened, fragment):
    page = opened(fragment, run=False)
    page.on("dialog", lambda dialog: pytest.fail("a dialog was opened"))
    page.get_by_role("button", name="Run it").click()
    page.wait_for_selector(".result[aria-busy=false], [role=alert] p", timeout=10_000)
    assert page.title() == "Live"
    assert not page.locator(".live :is(img, script)").count()
    assert len(page.input_value("#translator-sentence")) <= 300
    assert 1 <= float(page.locator("[type=number]").input_value()) <= 10
    assert page.locator("[name=translator-register]:checked").count() == 1
    assert len(page.locator("[role=alert]").inner_text()) < 300


def test_a_link_brings_back_sentence_and_settings(opened):
    page = opened()
    typed(page, "the cat, & the dog slept")
    page.get_by_label("plain").check()
    page.get_by_label("sampling").check()
    page.get_by_role("slider").fill("1.4")
    page.get_by_role("button", name="Draw again").click()
    page.get_by_label("take the positions away").check()
    page.get_by_label("hide the source's first word").check()
    page.locator("[data-name='encoder.1.self.2']").click()
    page.get_by_label("silence this head").check()
    line, link = settled(page), page.locator("a.share").get_attribute("href")
    other = opened(link)
    assert settled(other) == line
    assert other.locator("a.share").get_attribute("href") == link
    assert other.get_by_label("plain").is_checked()
    assert "encoder, layer 1, self-attention, head 2" in other.locator(
        "fieldset").last.inner_text()
    other.evaluate("location.hash = '#sentence=the+dog+slept'")
    other.wait_for_function("""() => document.querySelector("#translator-sentence")
        .value === "the dog slept" """)
    assert settled(other) == "개는 잤어요"


def test_a_link_made_earlier_silences_its_heads(opened):
    head = "decoder.1.cross.0"
    page = opened(f"#sentence={OLD}&silenced={head}")
    line, link = settled(page), page.locator("a.share").get_attribute("href")
    assert f"ablated={head}" in link
    assert settled(opened(link)) == line != settled(opened(f"#sentence={OLD}"))


def test_a_change_on_the_way_leaves_one_translation(opened):
    page = opened()
    page.emulate_media(reduced_motion="no-preference")    # written slowly
    typed(page, SEEN)
    page.wait_for_timeout(150)
    typed(page, "the dog slept")
    assert settled(page) == "개는 잤어요"
    page.wait_for_timeout(600)
    assert settled(page) == "개는 잤어요" and page.locator(".line").count() == 1


def test_axe_finds_nothing_in_both_themes(opened):
    page = opened("#sentence=the+dog", run=False)
    axe_is_silent(page)
    page.get_by_role("button", name="Run it").click()
    settled(page)
    page.locator(".ready summary").click()
    page.locator(".ready li button").nth(9).click()    # a beam
    settled(page)
    page.locator(".ready summary").click()
    axe_is_silent(page)
    page.locator("[data-name='decoder.0.self.1']").click()
    page.get_by_label("silence this head").check()
    page.get_by_label("sampling").check()
    page.focus("#translator-sentence")
    page.keyboard.type(" th")
    assert page.get_by_role("option").count() > 3
    axe_is_silent(page)
    typed(page, "the elephnt slept")
    axe_is_silent(page)


def test_a_phone_scrolls_only_downwards(opened):
    page = opened(f"#sentence={GIRLS}&way=beam", width=390)
    settled(page)
    page.locator(".ready summary").click()
    for name in ("mean", "encoder.0.self.0", "decoder.1.self.3"):
        page.locator(f"[data-name='{name}']").click()
        assert page.evaluate(pages.TOO_WIDE) <= 0
    typed(page, "x" * 300)
    assert page.evaluate(pages.TOO_WIDE) <= 0


def test_on_a_phone_the_answer_is_seen(browser):
    high = 664    # of 844, below the browser's own bars
    context = browser.chromium.new_context(
        viewport={"width": 390, "height": high}, is_mobile=True, has_touch=True,
        reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{browser.address}index.html")

    def seen():
        settled(page)
        box = page.locator(".line").bounding_box()
        return 0 <= box["y"] <= high - box["height"]

    def calls_no_keyboard():
        return page.evaluate("document.activeElement.type !== 'text'")

    page.get_by_role("button", name="Run it").tap()
    settled(page)
    assert calls_no_keyboard()
    for name in ("register", "way"):
        tops = [one.bounding_box()["y"] for one in page.locator(
            f"[name=translator-{name}]").all()]
        assert len({*tops}) == 1, name
    typed(page, "the dog slept")
    assert seen() and calls_no_keyboard()
    for number in (0, 10):
        page.locator(".ready summary").tap()
        page.locator(".ready li button").nth(number).evaluate("""one => {
          document.querySelector(".ready summary").scrollIntoView({ block: "end" });
          one.click(); }""")
        assert seen() and calls_no_keyboard()
        assert page.locator(".ready").get_attribute("open") is None
    typed(page, "the elephnt slept")
    page.get_by_role("button", name="elephant", exact=True).tap()
    settled(page)
    assert calls_no_keyboard()
    context.close()


def test_without_scripts_and_on_paper_the_static_twin_stands(browser, opened):
    context = browser.chromium.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(f"{browser.address}index.html")
    twin = still.locator("book-translator")
    assert "the likeliest piece each time" in twin.inner_text()
    assert FRONT in twin.inner_text()
    assert twin.locator("img").is_visible() and twin.locator("table").is_visible()
    context.close()
    page = opened()
    settled(page)
    table = page.locator("book-translator > table")
    assert not table.is_visible()
    page.emulate_media(media="print")
    assert table.is_visible() and not page.locator(".live").is_visible()


# A second engine ----------------------------------------------------------------------

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
HARNESS = """<!doctype html><meta charset="utf-8"><iframe src="/index.html"></iframe>
<script type="module">
const tell = answer => fetch("/answer", {{
  method: "POST", body: JSON.stringify(answer) }});
for (const kind of ["error", "unhandledrejection"])
  addEventListener(kind, event => tell({{
    error: String(event.reason ?? event.message) }}));
const find = selector => document.querySelector("iframe").contentDocument
  .querySelectorAll(selector);
const until = async ready => {{
  for (let turn = 0; turn < 1000; turn++) {{
    const found = ready();
    if (found) return found;
    await new Promise(done => setTimeout(done, 100));
  }}
  throw new Error(`never came: ${{ready}}`);
}};
const starts = one => one.textContent.includes("Run it");
(await until(() => [...find("button")].find(starts))).click();
await until(() => find("book-translator.running")[0]);
const [field] = find("#translator-sentence");
field.value = "the dog slept";
field.form.requestSubmit();
await until(() => find(".result[aria-busy=false]")[0]);
await tell({{
  line: find(".line [lang=ko]")[0].textContent,
  numbers: await ({run})([{pairs}, {{}}, false]),
  steps: await ({run})([{pairs}, {{}}, true]),
  decoded: await ({decode})({sources}) }});
</script>"""


@pytest.mark.skipif(not FIREFOX, reason="no Firefox here")
def test_firefox_computes_and_shows_the_same(folder, pairs, tmp_path):
    script = {"pairs": json.dumps(pairs), "sources": json.dumps([s for s, _ in pairs]),
              "run": RUN, "decode": DECODE}
    (folder / "harness.html").write_text(HARNESS.format(**script), "utf-8")
    answers = queue.Queue()

    class Answered(pages.Quiet):
        def do_POST(self):
            answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0),
                                 partial(Answered, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(
        [FIREFOX, "--headless", "--no-remote", "--profile", str(tmp_path),
         f"http://127.0.0.1:{server.server_port}/harness.html"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        told = answers.get(timeout=300)
    finally:
        browser.terminate()
        browser.wait()
        server.shutdown()
        (folder / "harness.html").unlink()
    assert "error" not in told, told["error"]
    assert told["line"] == "개는 잤어요"
    for numbers in (told["numbers"], told["steps"]):
        equal_to_torch(numbers_of(numbers, pairs), pairs)
    batch = make_batch(pairs)
    given = bundled().model, batch.source, batch.source_lengths
    for mine, theirs, (words, beams) in zip(greedy(*given), beam_search(*given),
                                            told["decoded"], strict=True):
        assert words == mine and beams[0]["ids"] == theirs[0].ids
