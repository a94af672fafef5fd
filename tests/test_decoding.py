"""decoding: stops at EOS, never writes PAD or BOS, treats the sentences of a batch as if each were alone."""

import itertools
import math

import pytest
import torch
from torch import nn

from softdict import decoding
from softdict.attention import Additive
from softdict.decoding import (
    beam_search, greedy, normalised, sample, top_k, top_p, translate, translation_weights, up_to_end, without)
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq, source_weights
from softdict.transformer import Transformer
from softdict.vocab import BOS, EOS, PAD, Vocab

B, V = 2, 9
SOURCE, LENGTHS = torch.tensor([[5, 6, PAD], [7, 8, 5]]), torch.tensor([2, 3])
ENGLISH, KOREAN = Vocab([["the", "dog", "cat"]]), Vocab([["개", "고양이", "는", "자"]])


class Script:
    """A model that wants to write one given line a sentence, PAD and BOS more than anything."""

    def __init__(self, *lines):
        self.lines, self.read = lines, []

    def start(self, source, source_lengths):
        return 0

    def step(self, words, state):
        self.read.append(words.tolist())
        logits = torch.zeros(len(self.lines), V)
        logits[:, [PAD, BOS]] = 5.0
        for row, line in zip(logits, self.lines):
            row[line[min(state, len(line) - 1)]] = 1.0
        return logits, state + 1


def make_model():
    torch.manual_seed(3)
    return Seq2Seq(Encoder(V, 5, 12), Decoder(V, 5, 12)).double().eval()


def test_stops_at_eos_and_writes_neither_pad_nor_bos():
    assert greedy(Script([5, 6, EOS, 7], [EOS, 8]), SOURCE, LENGTHS) == [[5, 6], []]


def test_without_that_rule_it_would_write_pads(monkeypatch):
    monkeypatch.setattr(decoding, "without", lambda logits, *ids: logits)
    assert greedy(Script([5, 6, EOS], [EOS]), SOURCE, LENGTHS, limit=2) == [[PAD, PAD], [PAD, PAD]]


def test_reads_bos_first_and_its_own_words_after():
    model = Script([5, 6, EOS], [7, 8, EOS])
    greedy(model, SOURCE, LENGTHS)
    assert model.read == [[BOS, BOS], [5, 7], [6, 8]]


def test_stops_at_the_limit():
    assert greedy(Script([5], [6, EOS]), SOURCE, LENGTHS, limit=4) == [[5, 5, 5, 5], [6]]


def test_without_changes_a_copy():
    logits = torch.zeros(B, V)
    assert without(logits, PAD, BOS).isinf().sum(dim=0).tolist() == [2, 0, 2, 0, 0, 0, 0, 0, 0]
    assert logits.count_nonzero() == 0


def test_up_to_end():
    assert [up_to_end(ids) for ids in ([5, EOS, 6, EOS], [5, 6], [EOS])] == [[5], [5, 6], []]


def test_greedy_equals_a_search_by_hand_one_sentence_at_a_time():
    model = make_model()
    together = greedy(model, SOURCE, LENGTHS, limit=12)
    for row, length in enumerate(LENGTHS.tolist()):
        written = [BOS]
        while len(written) <= 12 and (len(written) == 1 or written[-1] != EOS):
            scores = model(SOURCE[row:row + 1, :length], LENGTHS[row:row + 1], torch.tensor([written]))[0, -1]
            scores[[PAD, BOS]] = float("-inf")
            written.append(scores.argmax().item())
        assert together[row] == [word for word in written[1:] if word != EOS]


def test_the_source_is_left_as_it_is():
    source, lengths = SOURCE.clone(), LENGTHS.clone()
    greedy(make_model(), source, lengths, limit=3)
    assert torch.equal(source, SOURCE) and torch.equal(lengths, LENGTHS)


def test_decoding_leaves_no_gradients():
    model = make_model()
    greedy(model, SOURCE, LENGTHS, limit=3)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_translate_gives_words():
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    words = translate(model, ["the", "dog"], ENGLISH, KOREAN)
    assert all(word in KOREAN for word in words) and not {"<pad>", "<bos>", "<eos>"} & set(words)


@pytest.mark.parametrize("sentence, message", [
    ([], "the sentence is empty"),
    (["the", "puppy"], "does not know 'puppy'"),
    (["the"] * 5, "has 5 words and the model was trained on at most 4"),
])
def test_translate_refuses_in_one_sentence(sentence, message):
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    with pytest.raises(ValueError, match=message) as refusal:
        translate(model, sentence, ENGLISH, KOREAN, longest=4)
    assert "\n" not in str(refusal.value)


both_orders = pytest.mark.parametrize("decoder", [Decoder, LuongDecoder])


def make_looker(decoder, seed=3):
    torch.manual_seed(seed)
    return Seq2Seq(Encoder(len(ENGLISH), 5, 12), decoder(len(KOREAN), 5, 12, context=Attend())).double().eval()


@both_orders
def test_weights_of_a_translation_are_those_of_the_steps_that_wrote_it(decoder):
    lengths = set()
    for seed in range(8):
        model, rows = make_looker(decoder, seed), []
        hook = model.decoder.register_forward_hook(lambda module, inputs, output: rows.append(output[2][0]))
        [ids] = greedy(model, torch.tensor([ENGLISH.ids(["the", "dog", "cat"])]), torch.tensor([3]), limit=6)
        hook.remove()
        words = KOREAN.tokens(ids)
        weights = translation_weights(model, ["the", "dog", "cat"], words, ENGLISH, KOREAN)
        assert weights.shape == (len(words), 3) and not weights.requires_grad
        for weight, row in zip(weights, rows):
            torch.testing.assert_close(weight, row)
        lengths.add(len(words))
    assert len(lengths) > 1


@both_orders
def test_any_translation_has_weights_also_an_empty_one(decoder):
    model = make_looker(decoder)
    weights = translation_weights(model, ["the", "dog"], ["개", "는", "자"], ENGLISH, KOREAN)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, dtype=torch.float64))
    batch = torch.tensor([ENGLISH.ids(["the", "dog"])]), torch.tensor([2])
    told = torch.tensor([[BOS, *KOREAN.ids(["개", "는"])]])
    torch.testing.assert_close(weights, source_weights(model, *batch, told)[0])
    assert translation_weights(model, ["the", "dog"], [], ENGLISH, KOREAN).shape == (0, 2)


def test_weights_need_known_words_and_a_model_that_looks():
    with pytest.raises(ValueError, match="does not know 'puppy'"):
        translation_weights(make_looker(Decoder), ["the", "puppy"], ["개"], ENGLISH, KOREAN)
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    with pytest.raises(ValueError, match="nothing to look at"):
        translation_weights(model, ["the", "dog"], ["개"], ENGLISH, KOREAN)


# Beam search and sampling, for models of both kinds

def small_models():
    """A Transformer and two recurrent models of 9 target words, sure enough of themselves that beams differ."""
    torch.manual_seed(1)
    keys = nn.Linear(12, 12, bias=False)
    models = [Transformer(20, 9, 12, 3, 2, 40, 0.0), Transformer(20, 9, 12, 3, 1, 40, 0.0, positions="rotary"),
              Seq2Seq(Encoder(20, 8, 12), LuongDecoder(9, 8, 12, context=Attend(Additive(12, 12), keys))),
              Seq2Seq(Encoder(20, 8, 12, 2, nn.LSTM), Decoder(9, 8, 12, 2, nn.LSTM))]
    for model in models:
        model.double().eval()
        with torch.no_grad():
            model.generator.weight.mul_(4)
    return models


MODELS = small_models()
ROWS = torch.tensor([[5, 6, 7, 8, 0, 0, 0], [9, 5, 4, 6, 11, 12, 13], [4, 4, 9, 15, 16, 0, 0]])
ROW_LENGTHS = torch.tensor([4, 7, 5])


def log_probability(model, row, ids, ended):
    """log p of a translation by one pass with all its words."""
    source, lengths = ROWS[row:row + 1, :ROW_LENGTHS[row]], ROW_LENGTHS[row:row + 1]
    logits = without(model(source, lengths, torch.tensor([[BOS, *ids]]))[0], PAD, BOS).log_softmax(dim=-1)
    return sum(logits[place, word].item() for place, word in enumerate([*ids, EOS] if ended else ids))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_beam_of_one_is_greedy(model):
    greedily = greedy(model, ROWS, ROW_LENGTHS, limit=9)
    assert [found[0].ids for found in beam_search(model, ROWS, ROW_LENGTHS, size=1, limit=9)] == greedily
    assert sample(model, ROWS, ROW_LENGTHS, k=1, limit=9) == greedily
    assert sample(model, ROWS, ROW_LENGTHS, p=1e-9, limit=9) == greedily


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_a_wide_beam_finds_what_exhaustive_search_finds(model):
    limit, words = 3, [1, 4, 5, 6, 7, 8]
    found = beam_search(model, ROWS, ROW_LENGTHS, size=300, limit=limit)
    for row, hypotheses in enumerate(found):
        every = {}
        for length in range(limit + 1):
            for ids in itertools.product(words, repeat=length):
                total = log_probability(model, row, ids, length < limit)
                every[ids] = normalised(total, length + (length < limit), 0.6)
        assert {tuple(one.ids) for one in hypotheses} == set(every)
        ended = {ids: score for ids, score in every.items() if len(ids) < limit}    # they stand in front
        assert tuple(hypotheses[0].ids) == max(ended, key=ended.get)
        for one in hypotheses:
            assert one.score == pytest.approx(every[tuple(one.ids)], abs=1e-9)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scores_are_what_one_pass_gives_and_a_batch_changes_nothing(model):
    found = beam_search(model, ROWS, ROW_LENGTHS, size=4, limit=8)
    for row, hypotheses in enumerate(found):
        assert len(hypotheses) == 4 and len({tuple(one.ids) for one in hypotheses}) == 4
        order = [(len(one.ids) == 8, -one.score) for one in hypotheses]    # what has not ended comes last
        assert order == sorted(order)
        for one in hypotheses:
            total = log_probability(model, row, one.ids, len(one.ids) < 8)
            assert one.log_probability == pytest.approx(total, abs=1e-9)
        [alone] = beam_search(model, ROWS[row:row + 1, :ROW_LENGTHS[row]], ROW_LENGTHS[row:row + 1], size=4, limit=8)
        assert [one.ids for one in alone] == [one.ids for one in hypotheses]


class Scripted:
    """A model with fixed probabilities after each prefix."""

    def __init__(self, table):
        self.table = table

    def start(self, source, source_lengths):
        return [()] * len(source)

    def rows(self, state, chosen):
        return [state[n] for n in chosen.tolist()]

    def step(self, words, state):
        state = [(*before, word) for before, word in zip(state, words.tolist())]
        return torch.stack([self.table(before[1:]) for before in state]), state


def three_words(**shares):
    """Logits of 7 words: EOS (3) and a, b, c (4, 5, 6)."""
    logits = torch.full((7,), -30.0)
    for name, share in shares.items():
        logits[{"end": 3, "a": 4, "b": 5, "c": 6}[name]] = math.log(share)
    return logits


def misleading(before):
    """The likeliest first word leads nowhere: a .55 then nothing above .4; b .45, then surely c and the end."""
    return {(): three_words(a=0.55, b=0.45), (4,): three_words(end=0.4, a=0.3, b=0.3), (5,): three_words(c=1.0),
            (5, 6): three_words(end=1.0)}.get(before, three_words(end=1.0))


def test_a_beam_finds_what_greedy_misses():
    model, source, lengths = Scripted(misleading), torch.tensor([[5]]), torch.tensor([1])
    assert greedy(model, source, lengths, limit=5) == [[4]]
    [hypotheses] = beam_search(model, source, lengths, size=2, power=0.0, limit=5)
    assert hypotheses[0].ids == [5, 6] and hypotheses[0].log_probability == pytest.approx(math.log(0.45), abs=1e-5)


def test_no_finished_hypothesis_is_lost():
    def early(before):    # the empty translation is second best at once, and best in the end
        return three_words(end=0.4, a=0.6) if not before else three_words(end=0.34, a=0.33, b=0.33)

    [hypotheses] = beam_search(Scripted(early), torch.tensor([[5]]), torch.tensor([1]), size=2, power=0.0, limit=6)
    assert hypotheses[0].ids == [] and hypotheses[0].log_probability == pytest.approx(math.log(0.4), abs=1e-5)


def test_the_penalty_prefers_longer_translations():
    def short_or_long(before):
        return {(): three_words(end=0.3, a=0.7), (4,): three_words(b=0.6, end=0.4), (4, 5): three_words(c=0.9, end=0.1)
                }.get(before, three_words(end=1.0))

    model, source, lengths = Scripted(short_or_long), torch.tensor([[5]]), torch.tensor([1])
    assert beam_search(model, source, lengths, size=4, power=0.0, limit=6)[0][0].ids == [4, 5, 6]
    assert normalised(-4.0, 1, 0.0) == -4.0 and normalised(-6.0, 7, 1.0) == -3.0
    best = [beam_search(model, source, lengths, size=4, power=power, limit=6)[0] for power in (0.0, 1.0)]
    assert best[0][0].score < best[1][0].score < 0    # the same translation, divided by more


def test_top_k_and_top_p_keep_the_likeliest():
    shares = torch.tensor([[0.15, 0.5, 0.05, 0.3], [0.25, 0.25, 0.25, 0.25]])
    kept = top_k(shares.log(), 2).exp()
    assert kept[0].tolist() == pytest.approx([0, 0.5, 0, 0.3])
    for p, wanted in ((0.1, 1), (0.49, 1), (0.51, 2), (0.79, 2), (0.81, 3), (0.96, 4), (1.0, 4)):
        assert top_p(shares.double().log(), p)[0].isfinite().sum() == wanted, p
    many = 4 * torch.randn(1, 30_000)
    assert torch.equal(top_p(many, 1.0), many)    # although the rounded sum of the shares reaches 1 early
    assert torch.equal(top_k(shares.log(), 9), shares.log()) and torch.equal(top_p(shares.log(), 1.0), shares.log())


def test_samples_come_as_often_as_their_probability():
    torch.manual_seed(0)
    model = Scripted(lambda before: three_words(a=0.6, b=0.3, end=0.1) if not before else three_words(end=1.0))
    source, lengths = torch.full((4000, 1), 5), torch.ones(4000, dtype=torch.long)
    for temperature, wanted in ((1.0, 0.6), (0.5, 0.36 / 0.46)):
        drawn = sample(model, source, lengths, temperature, limit=3)
        assert sum(ids == [4] for ids in drawn) / 4000 == pytest.approx(wanted, abs=0.03)
    assert {tuple(ids) for ids in sample(model, source, lengths, p=0.7, limit=3)} == {(4,), (5,)}


@pytest.mark.parametrize("call, message", [
    (lambda model: beam_search(model, ROWS, ROW_LENGTHS, size=0), "at least one hypothesis; got size 0"),
    (lambda model: sample(model, ROWS, ROW_LENGTHS, temperature=0), "temperature must be above 0; got 0"),
    (lambda model: sample(model, ROWS, ROW_LENGTHS, k=0), "at least one word; got 0"),
    (lambda model: sample(model, ROWS, ROW_LENGTHS, p=0.0), "above 0 and at most 1; got 0.0"),
    (lambda model: sample(model, ROWS, ROW_LENGTHS, p=1.1), "above 0 and at most 1; got 1.1")])
def test_what_a_search_refuses(call, message):
    with pytest.raises(ValueError, match=message):
        call(MODELS[0])
