"""experiments.writing: on the real corpus, with the trained Transformer."""

from types import SimpleNamespace

import pytest
import torch

from softdict.decoding import Hypothesis, beam_search
from softdict.experiments import EXPERIMENTS, sentences, writing
from softdict.saving import recipes
from softdict.vocab import BOS, EOS, PAD


def test_searching_many_finds_what_searching_one_finds_and_scores_word_by_word():
    model, (source_vocab, target_vocab) = writing.writer().cpu(), recipes.vocabs()
    examples = [example for example in sentences.split("iid") if example.length < 9][:5]
    for example, (found, told) in zip(examples,
                                      writing.searched(model, examples, 3, at_once=2)):
        source = torch.tensor([source_vocab.ids(example.source)])
        alone = beam_search(model, source, torch.tensor([source.shape[1]]), 3)[0][0]
        assert (alone.ids == found.ids
                and alone.score == pytest.approx(found.score, abs=1e-5))
        total, ids = 0.0, [BOS]
        state = model.start(source, torch.tensor([source.shape[1]]))
        for word in [*target_vocab.ids(example.target), EOS]:
            with torch.no_grad():
                logits, state = model.step(torch.tensor(ids), state)
            logits[:, [PAD, BOS]] = float("-inf")
            total, ids = total + logits.log_softmax(dim=-1)[0, word].item(), [word]
        length = len(example.target) + 1
        assert told == pytest.approx(total / ((5 + length) / 6) ** 0.6, abs=1e-4)


def test_errors_are_the_searchs_or_the_models(monkeypatch):
    right, wrong = ["-는"], ["-를"]
    monkeypatch.setattr(writing, "BEAMS", (1,))
    monkeypatch.setattr(writing.sentences, "split",
                        lambda *given, **more: [SimpleNamespace(target=right)] * 4)
    monkeypatch.setattr(writing, "vocabs", lambda *given, **more: (
        None, SimpleNamespace(tokens=lambda ids: ids)))
    found = [(Hypothesis(right, 0.0, -1.0), -1.0),    # right
             # the model likes the right one better: the search's error
             (Hypothesis(wrong, 0.0, -2.0), -1.0),
             # the model's errors
             (Hypothesis(wrong, 0.0, -1.0), -2.0), (Hypothesis(wrong, 0.0, -1.0), -3.0)]
    monkeypatch.setattr(writing, "searched", lambda *given, **more: found)
    table = writing.beams(0)["iid"]
    assert ((table["right"], table["search errors"], table["model errors"])
            == ([1], [1], [2]))


def test_the_cached_and_the_rerun_decoder_give_the_same_scores():
    model, batch = writing.writer().cpu(), writing.batch_of(sentences.split("iid")[:3])
    for steps in (1, 6):
        torch.testing.assert_close(writing.rerun(model, batch, steps),
                                   writing.cached(model, batch, steps),
                                   atol=1e-4, rtol=1e-4)


def test_their_first_numbers_are_five():
    for name in ("beams", "cache"):
        assert len(EXPERIMENTS[name].first(0)) == 5
