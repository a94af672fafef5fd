"""pretraining: which words are masked, what a loss counts, texts in one row, and what
is copied into a Transformer."""

import json
import math
import random
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from softdict import corpus
from softdict.batches import make_batch, padded
from softdict.experiments import pretraining, runner, sentences
from softdict.experiments.sentences import Example
from softdict.masks import causal_mask
from softdict.pretraining import (
    MASK, TextModel, block_mask, copy_parts, mask_words, masked_loss, masked_update,
    next_word_loss, next_word_update, pack, perplexity, with_mask, token_losses)
from softdict.training import Settings, TrainingState, train
from softdict.transformer import TransformerConfig, make_transformer
from softdict.variants import make_variant
from softdict.vocab import BOS, EOS, PAD, SPECIALS, UNK, Vocab

few = settings(max_examples=30, deadline=None)
WORDS = 12    # four specials, seven words and MASK
SMALL = TransformerConfig(width=8, heads=2, layers=2, hidden=12, dropout=0.0)
texts = st.lists(st.lists(st.integers(4, 10), min_size=1, max_size=6), min_size=1,
                 max_size=6)


def model_of(words=WORDS, config=SMALL, seed=0):
    """A TextModel in double precision whose weights are far from 0."""
    torch.manual_seed(seed)
    model = TextModel(words, config).double()
    with torch.no_grad():
        for part in model.parameters():
            part.add_(0.3 * torch.randn_like(part))
    return model.eval()


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


# Masked words


def test_mask_is_the_last_word_and_no_other_number_changes():
    before = Vocab([["b", "a"], ["b"]])
    after = with_mask(before)
    assert after.words == [*before.words, MASK]
    assert after.ids(["a", MASK]) == [*before.ids(["a"]), len(before)]
    with pytest.raises(ValueError, match="each word once"):
        with_mask(after)


@few
@given(texts, st.integers(0, 99), st.sampled_from([0.15, 0.5, 1.0]))
def test_no_special_word_is_chosen_or_drawn(rows, seed, share):
    ids = padded([[BOS, UNK, *row, EOS] for row in rows])
    masked, target = mask_words(ids, 11, rng(seed), share)
    special = ids < len(SPECIALS)
    assert (target[special] == PAD).all() and (masked[special] == ids[special]).all()
    chosen = target != PAD
    assert (target[chosen] == ids[chosen]).all()
    assert (masked[~chosen] == ids[~chosen]).all()
    assert ((masked[chosen] >= 4) & (masked[chosen] <= 11)).all()
    if share == 1:
        assert (chosen == ~special).all()


def test_shares_of_the_chosen_the_masked_the_drawn_and_the_kept():
    torch.manual_seed(0)
    ids = torch.randint(4, 1004, (400, 500))
    before, state = ids.clone(), torch.get_rng_state()
    masked, target = mask_words(ids, 1004, rng())
    assert torch.equal(ids, before) and torch.equal(torch.get_rng_state(), state)
    chosen = target != PAD
    assert chosen.double().mean().item() == pytest.approx(0.15, abs=0.003)
    became, was = masked[chosen], ids[chosen]
    shares = [part.double().mean().item() for part in
              (became == 1004, became == was, (became != 1004) & (became != was))]
    # a thousandth of the words drawn are the right ones
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.006)
    drawn = became[(became != 1004) & (became != was)]
    assert drawn.min() == 4 and drawn.max() == 1003
    counts = drawn.bincount(minlength=1004)[4:].double()    # about 3 of each word
    assert counts.var() / counts.mean() == pytest.approx(1, abs=0.2)
    # the share is that of each place and of each row
    for axis in (0, 1):
        assert chosen.double().mean(dim=axis).std() < 0.03


def test_the_same_generator_gives_the_same_mask_and_then_another():
    ids, one, two = torch.full((20, 30), 7), rng(3), rng(3)
    first = mask_words(ids, 11, one)
    assert all(map(torch.equal, first, mask_words(ids, 11, two)))
    assert not torch.equal(first[1], mask_words(ids, 11, one)[1])


def test_the_words_drawn_are_not_mask():
    ids = torch.full((200, 500), 4)    # the only word: whatever is drawn, it is kept
    masked, target = mask_words(ids, 5, rng())
    assert (masked[target != PAD] == 5).double().mean().item() == pytest.approx(
        0.8, abs=0.02)


@pytest.mark.parametrize("kind", [torch.int32, torch.int64])
def test_numbers_keep_their_kind(kind):
    masked, target = mask_words(torch.full((9, 9), 6, dtype=kind), 11, rng())
    assert masked.dtype == target.dtype == kind


@pytest.mark.parametrize("mask", [4, 9, 10])
def test_a_mask_that_is_no_last_number_is_refused(mask):
    with pytest.raises(ValueError, match=f"last number of the vocabulary.*got {mask}"):
        mask_words(torch.tensor([[4, 10]]), mask, rng())


def losses_by_loop(model, masked, target):
    """-log p of each chosen word, a sentence at a time and without pads."""
    found = []
    for row, wanted in zip(masked, target):
        size = int((row != PAD).sum())
        everywhere = torch.ones(size, size, dtype=torch.bool)
        logs = model(row[None, :size], everywhere)[0].log_softmax(dim=-1)
        found += [-logs[place, word] for place, word in enumerate(wanted[:size])
                  if word != PAD]
    return torch.stack(found)


def test_the_loss_counts_the_chosen_words_alone():
    model = model_of()
    ids = padded([[4], [5, 6, 7, 8, 9], [10, 4, 10]])
    masked, target = mask_words(ids, 11, rng(1), share=0.5)
    assert 1 < (target != PAD).sum() < 9
    losses = losses_by_loop(model, masked, target)
    torch.testing.assert_close(masked_loss(model, masked, target), losses.mean())
    wider = [torch.nn.functional.pad(part, (0, 3)) for part in (masked, target)]
    torch.testing.assert_close(masked_loss(model, *wider), losses.mean())


def nothing(ids, mask, rng):
    return ids, torch.zeros_like(ids)


def first_row(ids, mask, rng):
    """The first word of a batch is hidden, and no other."""
    target = torch.zeros_like(ids)
    target[0, 0] = ids[0, 0]
    return ids.masked_fill(target != PAD, mask), target


def test_an_update_without_a_chosen_word_is_refused():
    training = TrainingState(model_of(), Settings())
    with pytest.raises(ValueError, match="no word is chosen: there is nothing to gues"):
        masked_update(training, make_batch([([4, 5], [4])]), nothing)
    assert all(weight.grad is None for weight in training.model.parameters())


def test_a_part_without_a_chosen_word_counts_nothing():
    batch, weights = make_batch([([4, 5, 6], [4]), ([7, 8], [4]), ([9], [4])]), []
    for parts in (1, 3):
        training = TrainingState(model_of(), Settings(micro_batches=parts, clip=1e9))
        record = masked_update(training, batch, first_row)
        weights.append(torch.cat([weight.grad.flatten() for weight
                                  in training.model.parameters()]))
        assert record["loss"] > 0
    torch.testing.assert_close(*weights)


@pytest.mark.parametrize("smoothing", [0.1, 0.7])
@pytest.mark.parametrize("task", ["masked", "next"])
def test_smoothed_losses_are_torchs_but_for_the_pad(task, smoothing):
    """Values and gradients; torch is given the target as shares, none of them PAD's."""
    model, ids = model_of(), padded([[4], [5, 6, 7, 8, 9], [10, 4, 10]])
    if task == "masked":
        masked, target = mask_words(ids, 11, rng(1), share=0.5)
        found = masked_loss(model, masked, target, smoothing)
        logits = model(masked, (masked != PAD)[:, None, :])
    else:
        batch = make_batch([(row, row) for row in ([4], [5, 6, 7, 8, 9], [10, 4, 10])])
        target = batch.target_out
        assert (target == EOS).sum() == 3
        found = next_word_loss(model, batch.target_in, target, smoothing)
        logits = model(batch.target_in, causal_mask(6))
    shares = torch.full_like(logits, smoothing / (WORDS - 1))
    shares[..., PAD] = 0
    shares.scatter_add_(-1, target[..., None],
                        torch.full_like(logits[..., :1], 1 - smoothing))
    wanted = torch.nn.functional.cross_entropy(logits[target != PAD],
                                               shares[target != PAD])
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    for mine, theirs in zip(*(torch.autograd.grad(loss, list(model.parameters()))
                              for loss in (found, wanted)), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-10)


def test_the_mask_hides_the_word_that_is_to_be_guessed():
    model, hidden = model_of(), torch.tensor([[5, 11, 6]])
    everywhere = torch.ones(3, 3, dtype=torch.bool)
    # two sentences that differ in the masked word alone look the same to the model
    for word in (7, 8):
        ids = torch.tensor([[5, word, 6]])
        chance = next(seed for seed in range(999) if torch.equal(
            mask_words(ids, 11, rng(seed), 0.5)[0], hidden))
        masked, target = mask_words(ids, 11, rng(chance), 0.5)
        assert target.tolist() == [[0, word, 0]]
        torch.testing.assert_close(model(masked, everywhere), model(hidden, everywhere))


def test_a_masked_word_is_guessed_from_both_sides_and_the_next_from_one():
    model, ids = model_of(), torch.tensor([[4, 5, 11, 6, 7]])
    for allowed, seen in ((torch.ones(5, 5, dtype=torch.bool), [0, 1, 2, 3, 4]),
                          (causal_mask(5), [0, 1, 2])):
        x = model.embedding.table.weight
        x.grad = None
        model.generator.weight = torch.nn.Parameter(x.detach().clone())
        model(ids, allowed)[0, 2, 8].backward()
        reached = [place for place in range(5) if x.grad[ids[0, place]].any()]
        assert reached == seen


# Next words


def test_the_loss_of_next_words_is_that_of_a_loop():
    model, rows = model_of(), [[4], [5, 6, 7, 8, 9], [10, 4, 10]]
    batch, losses = make_batch([(row, row) for row in rows]), []
    for row in rows:
        text = [BOS, *row, EOS]
        for place in range(1, len(text)):    # each word from those before it alone
            ids = torch.tensor([text[:place]])
            logs = model(ids, causal_mask(place))[0, -1].log_softmax(dim=-1)
            losses.append(-logs[text[place]])
    found = next_word_loss(model, batch.target_in, batch.target_out)
    torch.testing.assert_close(found, torch.stack(losses).mean())
    logits = model(batch.target_in, causal_mask(6))
    each = token_losses(logits, batch.target_out)
    assert (each == 0).tolist() == (batch.target_out == PAD).tolist()
    torch.testing.assert_close(each[batch.target_out != PAD], torch.stack(losses))


def test_a_mask_makes_an_encoders_layers_those_of_a_decoder():
    transformer = make_transformer(WORDS, WORDS, SMALL).double().eval()
    model = model_of()
    copy_parts(transformer, encoder=model, decoder=model)
    ids, lengths = padded([[4, 5, 6], [7, 8]]), torch.tensor([3, 2])
    torch.testing.assert_close(model.states(ids, (ids != PAD)[:, None, :])[ids != PAD],
                               transformer.encode(ids, lengths)[0][ids != PAD])
    for layer in transformer.decoder.layers:    # pass by the cross-attention
        for part in layer.cross_attention.out.parameters():
            part.data.zero_()
    torch.testing.assert_close(transformer(ids, lengths, ids),
                               model(ids, causal_mask(3)))


# Both learn


@pytest.mark.parametrize("update", [masked_update, next_word_update])
def test_a_model_learns_a_language_of_two_sentences(update):
    rows = [[4, 5, 6, 7], [7, 8, 9, 10, 4]] * 16
    torch.manual_seed(0)
    training = TrainingState(TextModel(WORDS, SMALL), Settings(
        updates=150, batch_size=32, peak_rate=1e-2))
    losses = [record["loss"] for record in
              train(training, [(row, row) for row in rows], update=update)]
    # chance is log 7; the first word decides between two sentences
    assert losses[0] > 1.5 and sum(losses[-20:]) / 20 < 0.8


def test_an_update_forgets_the_gradient_of_the_one_before():
    rows = [[4, 5, 6, 7]] * 8
    training = TrainingState(model_of(),
                             Settings(batch_size=8, clip=1e9, peak_rate=1e-9))
    records = [next_word_update(training, make_batch([(row, row) for row in rows]))
               for _ in range(3)]
    assert records[2]["norm"] == pytest.approx(records[0]["norm"], rel=1e-3)


def test_masks_are_new_in_each_update_and_come_again_with_the_seed():
    kept, rows = [], [[4, 5, 6, 7]] * 8

    def masking(ids, mask, rng):
        assert mask == WORDS - 1
        kept.append(mask_words(ids, mask, rng, 0.5))
        return kept[-1]

    for seed in (1, 1, 2):
        training = TrainingState(TextModel(WORDS, SMALL), Settings(
            updates=3, batch_size=8, seed=seed))
        train(training, [(row, row) for row in rows],
              update=partial(masked_update, masking=masking))
    targets = [target for _, target in kept]
    for n, one in enumerate(targets):
        for m, other in enumerate(targets):
            same = n == m or {n % 3, n // 3, m // 3} == {n % 3, 0, 1} and n % 3 == m % 3
            assert torch.equal(one, other) == same


# Texts in one row


@few
@given(texts, st.integers(6, 13))
def test_rows_hold_all_texts_in_their_order(rows, size):
    ids, segments, positions = pack(rows, size)
    assert ids.shape == segments.shape == positions.shape and ids.shape[1] == size
    found, packed = [], zip(ids.tolist(), segments.tolist(), positions.tolist())
    for row in packed:
        for word, segment, place in zip(*row):
            if segment == 0:
                assert (word, place) == (PAD, 0)
            elif place == 0:
                found.append([word])
                assert segment == sum(start == 0 and number > 0 for number, start in
                                      zip(row[1][:row[1].index(segment) + 1],
                                          row[2]))
            else:
                found[-1].append(word)
                assert place == len(found[-1]) - 1
    assert found == rows
    # a row is left only where the next text did not fit
    firsts = [row[:segment.count(1)] for row, segment in
              zip(ids.tolist(), segments.tolist())]
    free = (segments == 0).sum(dim=1).tolist()
    assert all(len(text) > room for text, room in zip(firsts[1:], free))


@pytest.mark.parametrize("rows", [[[4], []], [[4, 5, 6, 7]]])
def test_a_text_that_fits_into_no_row_is_refused(rows):
    with pytest.raises(ValueError, match="texts of 1 to 3 words; text"):
        pack(rows, 3)


def test_no_texts_are_refused():
    with pytest.raises(ValueError, match="no texts to pack"):
        pack([], 3)


def test_block_mask_equals_a_loop():
    segments = torch.tensor([[1, 1, 2, 3, 0], [1, 2, 2, 0, 0]])
    allowed = block_mask(segments).tolist()
    for row, numbers in zip(allowed, segments.tolist()):
        for one, line in zip(numbers, row):
            assert line == [one == other and other != 0 for other in numbers]


@few
@given(texts, st.integers(7, 15), st.integers(0, 9), st.booleans())
def test_packed_texts_equal_separate_ones(rows, size, seed, forwards):
    model = model_of(seed=seed)
    rows = [[BOS, *row] for row in rows]
    ids, segments, positions = pack(rows, size)
    allowed = block_mask(segments)
    if forwards:
        allowed = allowed & causal_mask(size)
    packed = model.states(ids, allowed, positions)[segments > 0]    # [N, D]
    apart = []
    for row in rows:
        mask = torch.ones(len(row), len(row), dtype=torch.bool)
        apart.append(model.states(torch.tensor([row]), mask.tril() if forwards
                                  else mask)[0])
    apart = torch.cat(apart)    # [N, D]
    torch.testing.assert_close(packed, apart, rtol=0, atol=1e-10)
    scale = torch.randn_like(apart)
    gradients = [torch.autograd.grad((states * scale).sum(), [
        part for name, part in model.named_parameters() if name != "generator.bias"])
        for states in (packed, apart)]
    for one, other in zip(*gradients):
        assert one.isfinite().all()
        torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


@pytest.mark.parametrize("broken", ["mask", "positions"])
def test_without_block_mask_or_restarted_positions_texts_meet(broken):
    model, rows = model_of(), [[4, 5, 6], [7, 8, 9]]
    ids, segments, positions = pack(rows, 6)
    allowed = block_mask(segments)
    found = model.states(ids, torch.ones_like(allowed) if broken == "mask" else allowed,
                         None if broken == "positions" else positions)
    right = model.states(ids, allowed, positions)
    assert (found - right)[0, 3:].abs().max() > 0.1


# How surprised a model is


def test_perplexity_of_a_half_and_an_eighth_is_four():
    losses = torch.tensor([math.log(2), math.log(8), 99.0])
    assert perplexity(losses, torch.tensor([True, True, False])) == pytest.approx(4)
    assert perplexity(losses[:1], torch.tensor([True])) == pytest.approx(2)
    with pytest.raises(ValueError, match="no word is counted"):
        perplexity(losses, losses < 0)


def test_a_model_that_knows_nothing_chooses_among_all_words():
    target = torch.tensor([[4, 5, PAD], [6, PAD, PAD]])
    losses = token_losses(torch.zeros(2, 3, WORDS), target)
    assert perplexity(losses, target != PAD) == pytest.approx(WORDS)
    # pads that are counted flatter
    assert perplexity(losses, target >= 0) == pytest.approx(WORDS ** 0.5)


# Into a Transformer


def snapshot(model):
    return {name: weight.clone() for name, weight in model.state_dict().items()}


@pytest.mark.parametrize("halves", [(), ("encoder",), ("decoder",),
                                    ("encoder", "decoder")])
def test_parts_are_copied_and_all_others_stay(halves):
    torch.manual_seed(5)
    transformer = make_transformer(WORDS, 9, SMALL).double()
    parts = {"encoder": model_of(WORDS, seed=1), "decoder": model_of(9, seed=2)}
    before = snapshot(transformer)
    copy_parts(transformer, **{half: parts[half] for half in halves})
    after = transformer.state_dict()
    for name, weight in after.items():
        half, _, place = name.partition(".")
        new = half == "decoder" and (".cross_attention." in name or ".norm2." in name)
        if half == "generator":
            half, place = "decoder", name
        if half in halves and not new:
            place = (place.replace("norm3", "norm2")
                     if half == "decoder" else place)
            assert torch.equal(weight, parts[half].state_dict()[place]), name
        else:
            assert torch.equal(weight, before[name]), name
    changed = {name for name in after if not torch.equal(after[name], before[name])}
    assert bool(changed) == bool(halves)
    assert transformer.generator.weight is transformer.decoder.embedding.table.weight


def test_a_copy_and_what_it_was_copied_from_learn_apart():
    encoder, decoder = model_of(seed=1), model_of(seed=2)
    transformer = make_transformer(WORDS, WORDS, SMALL).double()
    copy_parts(transformer, encoder, decoder)
    kept = snapshot(encoder), snapshot(decoder)
    with torch.no_grad():
        for part in transformer.parameters():
            part.add_(1)
    for model, before in zip((encoder, decoder), kept):
        assert all(torch.equal(weight, before[name])
                   for name, weight in model.state_dict().items())
    places = [part.data_ptr() for model in (encoder, decoder, transformer)
              for part in model.parameters()]
    assert len(places) == len(set(places))
    # nor do the two languages share a table
    assert not torch.equal(transformer.encoder.embedding.table.weight,
                           transformer.decoder.embedding.table.weight)


@pytest.mark.parametrize(("words", "change", "sentence"), [
    (13, {}, r"table.weight must be \[12, 8\]; got \[13, 8\]"),
    (12, {"width": 10}, r"must be \[12, 8\]; got \[12, 10\]"),
    (12, {"hidden": 16}, r"up.weight must be \[12, 8\]; got \[16, 8\]"),
    (12, {"layers": 1}, r"heads of the layers must be \[2, 2\]; got \[2\]"),
    (12, {"layers": 3}, r"heads of the layers must be \[2, 2\]; got \[2, 2, 2\]"),
    (12, {"heads": 4}, r"heads of the layers must be \[2, 2\]; got \[4, 4\]")])
@pytest.mark.parametrize("half", ["encoder", "decoder"])
def test_a_part_of_another_size_is_refused_and_nothing_is_copied(
        half, words, change, sentence):
    transformer = make_transformer(WORDS, WORDS, SMALL).double()
    before = snapshot(transformer)
    fitting = {"encoder": model_of(), "decoder": model_of()}
    other = TextModel(words, TransformerConfig(**{**vars(SMALL), **change}))
    with pytest.raises(ValueError, match=sentence):
        copy_parts(transformer, **{**fitting, half: other})
    assert all(torch.equal(weight, before[name])
               for name, weight in transformer.state_dict().items())


def test_a_transformer_with_the_norms_of_the_paper_is_refused():
    transformer = make_variant(WORDS, WORDS, SMALL, pre_norm=False)
    with pytest.raises(ValueError, match="encoder.norm.weight must be no weight; got"):
        copy_parts(transformer, encoder=TextModel(WORDS, SMALL))


# The experiment


NOUNS = {"dog": "개", "cat": "고양이", "cow": "소", "man": "남자"}


def make_examples(count, seed, words=tuple(NOUNS)):
    """Sentences of 2 to 6 nouns, and their nouns in Korean."""
    rng, examples = random.Random(seed), []
    for _ in range(count):
        nouns = rng.choices(words, k=rng.randint(2, 6))
        examples.append(Example(["<plain>", *nouns], [NOUNS[noun] for noun in nouns],
                                ["NOUN"] * len(nouns), (), len(nouns) + 2))
    return examples


@pytest.fixture
def made_corpus(tmp_path, monkeypatch):
    """Small splits; `iid` has a word, "man", that no text has."""
    seen = tuple(NOUNS)[:3]
    splits = {"train": make_examples(60, 0, seen), "valid": make_examples(130, 1, seen),
              "iid": [*make_examples(12, 2, seen), *make_examples(1, 3, ("man",))]}
    both = make_examples(50, 4, seen)
    lines = {"mono-en": [example.source[1:] for example in both],
             "mono-ko": [example.target for example in both][::-1]}
    monkeypatch.setattr(sentences, "split", splits.__getitem__)
    monkeypatch.setattr(sentences, "join", "".join)
    monkeypatch.setattr(pretraining, "corpus", SimpleNamespace(text=lines.__getitem__))
    monkeypatch.setattr(runner, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(runner, "UNFINISHED", tmp_path / "unfinished")
    monkeypatch.setattr(pretraining, "CONFIG", replace(SMALL, dropout=0.1))
    quick = Settings(updates=4, batch_size=8, peak_rate=1e-2, interval=2)
    monkeypatch.setattr(pretraining, "TEXT", quick)
    monkeypatch.setattr(pretraining, "SHORT", 30)
    monkeypatch.setattr(pretraining, "LONGER", 10)
    monkeypatch.setattr(pretraining, "BY_PAIRS", dict.fromkeys(
        pretraining.BY_PAIRS, replace(quick, updates=3)))
    pretraining.vocabularies.cache_clear()
    yield splits, lines
    pretraining.vocabularies.cache_clear()


def test_words_are_those_of_the_texts_and_the_tags(made_corpus):
    english, korean = pretraining.vocabularies()
    assert set(english.words) == {*SPECIALS, "dog", "cat", "cow", *pretraining.TAGS,
                                  MASK}
    assert english.words[-1] == MASK and set(korean.words) == {
        *SPECIALS, "개", "고양이", "소"}
    source, target = pretraining.ids(sentences.split("iid")[-1:])[0]
    assert set(source[1:]) == set(target) == {UNK}


def test_tags_are_those_of_the_corpus_and_its_texts_hold_no_test():
    assert {pair.words[0] for pair in corpus.split("train")} == set(pretraining.TAGS)
    pretraining.vocabularies.cache_clear()
    seen = pretraining.overlap()["of the text"]
    assert not any(seen["iid"].values())
    for name in ("valid", "train"):    # two English sentences can have one Korean
        assert seen[name]["english"] == seen[name]["unknown"] == 0
        assert seen[name]["korean"] <= 2


def test_sentences_of_a_test_that_stand_in_the_text_are_counted(made_corpus):
    splits, lines = made_corpus
    lines["mono-ko"][3:5] = [example.target for example in splits["iid"][:2]]
    lines["mono-en"][7] = splits["iid"][5].source[1:]
    targets = [example.target for example in splits["iid"]]
    found = pretraining.overlap()
    assert found["sentences"] == 50
    assert found["of the text"]["iid"] == {
        "english": sum(example.source[1:] in lines["mono-en"]
                       for example in splits["iid"]),
        "korean": sum(target in lines["mono-ko"] for target in targets), "unknown": 1}


def test_a_leaked_text_is_as_large_and_holds_the_test(made_corpus):
    splits, lines = made_corpus
    honest, leaked = pretraining.short_texts().values()
    assert honest == lines["mono-ko"][:30] and len(leaked) == 30
    assert leaked[:13] == [example.target for example in splits["iid"]]
    assert leaked[13:] == honest[13:]


def korean_model(seed=0):
    return model_of(len(pretraining.vocabularies()[1]), seed=seed)


def test_perplexity_is_that_of_a_loop_with_and_without_the_end(made_corpus):
    model, words, ends = korean_model(), [], []
    for _, target in pretraining.ids(sentences.split("valid")):
        text = [BOS, *target, EOS]
        logs = model(torch.tensor([text[:-1]]), causal_mask(len(text) - 1))[0]
        logs = logs.log_softmax(dim=-1)
        losses = [-logs[place, word].item() for place, word in enumerate(text[1:])]
        words, ends = words + losses[:-1], ends + losses[-1:]
    found = pretraining.perplexities(model, "valid")
    letters = sum(len("".join(example.target)) for example in sentences.split("valid"))
    assert found == pytest.approx({
        "with EOS": math.exp(sum(words + ends) / len(words + ends)),
        "without EOS": math.exp(sum(words) / len(words)),
        "bits a letter": sum(words + ends) / math.log(2) / letters})


def test_a_model_that_says_one_word_guesses_its_share(made_corpus):
    english, _ = pretraining.vocabularies()
    model, dog = model_of(len(english)), english.ids(["dog"])[0]
    with torch.no_grad():
        model.generator.bias[dog] = 999
    found = pretraining.guesses(model)
    assert found == pretraining.guesses(model)
    rng, chosen = torch.Generator().manual_seed(0), []
    rows = [english.ids(example.source[1:]) for example in sentences.split("valid")]
    for begin in (0, 100):
        _, target = mask_words(padded(rows[begin:begin + 100]), len(english) - 1,
                               rng)
        chosen += target[target != PAD].tolist()
    assert found["right"] == pytest.approx(chosen.count(dog) / len(chosen))
    assert found["loss on valid"] > 300    # the others cost about 999


def test_the_loss_on_valid_is_the_mean_over_words(made_corpus):
    english, korean = pretraining.vocabularies()
    torch.manual_seed(0)
    model = make_transformer(len(english), len(korean), SMALL).double().eval()
    losses = []
    for source, target in pretraining.ids(sentences.split("valid")):
        batch = make_batch([(source, target)])
        logs = model(batch.source, batch.source_lengths, batch.target_in)[0]
        losses += (-logs.log_softmax(dim=-1)[range(len(target) + 1),
                                             batch.target_out[0]]).tolist()
    assert pretraining.loss_on_valid(model)["loss on valid"] == pytest.approx(
        sum(losses) / len(losses), rel=1e-5)


def test_translations_do_not_depend_on_their_batch(made_corpus):
    english, korean = pretraining.vocabularies()
    torch.manual_seed(0)
    model = make_transformer(len(english), len(korean), SMALL).double().eval()
    with torch.no_grad():
        for part in model.parameters():
            part.add_(0.4 * torch.randn_like(part))
    examples = sentences.split("iid")
    alone = [pretraining.translations(model, [example])[0] for example in examples]
    assert len({tuple(line) for line in alone}) > 2
    assert pretraining.translations(model, examples, size=5) == alone


def test_conditions_of_a_seed_differ_in_the_copied_parts_alone(made_corpus):
    english, korean = pretraining.vocabularies()
    parts = {"encoder": model_of(len(english)), "decoder": model_of(len(korean))}
    made = {}
    for name, halves in pretraining.CONDITIONS.items():
        training, pairs = pretraining.few_pairs(
            500, {half: parts[half] for half in halves}, 1)
        made[name] = snapshot(training.model)
        assert training.settings == replace(pretraining.BY_PAIRS[500], seed=1)
        assert pairs == pretraining.ids(sentences.split("train")[:500])

    def changed(name):
        return {place for place, weight in made[name].items()
                if not torch.equal(weight, made["nothing"][place])}

    assert changed("encoder") and changed("decoder")
    assert {place.partition(".")[0] for place in changed("encoder")} == {"encoder"}
    assert {place.partition(".")[0] for place in changed("decoder")} == {"decoder",
                                                                         "generator"}
    assert changed("both") == changed("encoder") | changed("decoder")
    assert len(pretraining.few_pairs(100, {}, 0)[1]) == 60    # all there are


@pytest.mark.parametrize(("name", "keys"), [
    ("pretraining", {"text", "encoder", "decoder", "translation"}),
    ("pretraining-longer", {"2000", "20000"}),
    ("pretraining-leak", {"honest", "leaked"}),
    ("pretraining-rate-500-4", {"updates", "loss on valid", "valid"})])
def test_a_result_is_kept_and_comes_out_again(made_corpus, name, keys):
    [experiment] = [one for one in pretraining.EXPERIMENTS if one.name == name]
    file = runner.run(experiment, 0)
    record = json.loads(file.read_text(encoding="utf-8"))
    assert set(record["result"]) == keys and len(set(record["first"])) == 5
    assert runner.difference(experiment, 0) < 1e-6    # seven digits are kept
    assert experiment.first(1) != pytest.approx(record["first"], rel=1e-3)
    if name == "pretraining-longer":
        table = record["result"]
        assert list(table["2000"]) == ["nothing", "encoder", "decoder", "both"]
        assert list(table["20000"]) == ["nothing", "both"]
        rows = [row for part in table.values() for row in part.values()]
        assert all(row["updates"] == list(range(1, 11)) for row in rows)
        # the made corpus has fewer pairs than either count
        assert len({tuple(row["loss on valid"]) for row in rows}) == 4
    if name == "pretraining-leak":
        honest, leaked = record["result"].values()
        assert honest["sentences"] == leaked["sentences"] == 30
        assert honest["perplexity"]["iid"] != leaked["perplexity"]["iid"]
    if name == "pretraining":
        table = record["result"]["translation"]
        assert list(table) == ["100", "500", "2000", "20000"]
        assert list(table["500"]) == ["nothing", "encoder", "decoder", "both"]
        assert list(table["20000"]) == ["nothing", "both"]
        assert table["500"]["both"]["iid"]["sentences"] == 13
        assert record["result"]["encoder"]["updates"] == [2, 4]


def test_all_conditions_of_a_size_make_the_same_updates():
    assert {count: settings.updates for count, settings in pretraining.BY_PAIRS.items()
            } == {100: 300, 500: 400, 2000: 800, 20_000: 800}
    assert all(settings.peak_rate * 1000 in pretraining.RATES
               for settings in pretraining.BY_PAIRS.values())


def test_the_group_is_complete():
    names = [experiment.name for experiment in pretraining.EXPERIMENTS]
    assert names == ["pretraining", "pretraining-longer", "pretraining-leak", *[
        f"pretraining-rate-{count}-{rate}" for count in (100, 500, 2000)
        for rate in (1, 2, 4)]]
    assert {experiment.group for experiment in pretraining.EXPERIMENTS} == {
        "low-resource"}
    assert [len(experiment.seeds) for experiment in pretraining.EXPERIMENTS
            ] == [5, 3, 3, *[1] * 9]
