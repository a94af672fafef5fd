"""decoding: stops at EOS, never writes PAD or BOS, treats the sentences of a batch as
if each were alone."""

import functools
import itertools
import math

import pytest
import torch
from torch import nn

from softdict import decoding
from softdict.attention import Additive
from softdict.decoding import (
    NoRepeatNgrams, beam_search, decode, greedy, normalised, repeats, sample,
    translate, translation_weights, up_to_end, without)
from softdict.seq2seq import (
    Attend, BahdanauDecoder, Decoder, Encoder, LuongDecoder, Seq2Seq, source_weights)
from softdict.transformer import TransformerConfig, all_weights, make_transformer
from softdict.variants import make_variant
from softdict.vocab import BOS, EOS, PAD, Vocab

B, V = 2, 9
SOURCE, LENGTHS = torch.tensor([[5, 6, PAD], [7, 8, 5]]), torch.tensor([2, 3])
ENGLISH, KOREAN = Vocab([["the", "dog", "cat"]]), Vocab([["개", "고양이", "는", "자"]])


class Script:
    """A model that wants to write one given line a sentence, PAD and BOS more than
    anything."""

    def __init__(self, *lines):
        self.lines, self.read = lines, []

    def start(self, source, source_lengths):
        return 0

    def step(self, ids, state):
        self.read.append(ids.tolist())
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
    monkeypatch.setattr(decoding, "without", lambda logits, *ids, **more: logits)
    assert (greedy(Script([5, 6, EOS], [EOS]), SOURCE, LENGTHS, max_length=2)
            == [[PAD, PAD], [PAD, PAD]])


def test_reads_bos_first_and_its_own_words_after():
    model = Script([5, 6, EOS], [7, 8, EOS])
    greedy(model, SOURCE, LENGTHS)
    assert model.read == [[BOS, BOS], [5, 7], [6, 8]]


def test_stops_at_the_limit():
    assert (greedy(Script([5], [6, EOS]), SOURCE, LENGTHS, max_length=4)
            == [[5, 5, 5, 5], [6]])


def test_without_changes_a_copy():
    logits = torch.zeros(B, V)
    assert (without(logits, PAD, BOS).isinf().sum(dim=0).tolist()
            == [2, 0, 2, 0, 0, 0, 0, 0, 0])
    assert logits.count_nonzero() == 0


def test_up_to_end():
    assert ([up_to_end(ids) for ids in ([5, EOS, 6, EOS], [5, 6], [EOS])]
            == [[5], [5, 6], []])


def test_greedy_equals_a_search_by_hand_one_sentence_at_a_time():
    model = make_model()
    together = greedy(model, SOURCE, LENGTHS, max_length=12)
    for row, length in enumerate(LENGTHS.tolist()):
        ids = [BOS]
        while len(ids) <= 12 and (len(ids) == 1 or ids[-1] != EOS):
            scores = model(SOURCE[row:row + 1, :length], LENGTHS[row:row + 1],
                           torch.tensor([ids]))[0, -1]
            scores[[PAD, BOS]] = float("-inf")
            ids.append(scores.argmax().item())
        assert together[row] == [word for word in ids[1:] if word != EOS]


def test_the_source_is_left_as_it_is():
    source, lengths = SOURCE.clone(), LENGTHS.clone()
    greedy(make_model(), source, lengths, max_length=3)
    assert torch.equal(source, SOURCE) and torch.equal(lengths, LENGTHS)


def test_decoding_leaves_no_gradients():
    model = make_model()
    greedy(model, SOURCE, LENGTHS, max_length=3)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_translate_gives_words():
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    words = translate(model, ["the", "dog"], ENGLISH, KOREAN)
    assert (all(word in KOREAN for word in words)
            and not {"<pad>", "<bos>", "<eos>"} & set(words))


@pytest.mark.parametrize("sentence, message", [
    ([], "the sentence is empty"),
    (["the", "puppy"], "does not know 'puppy'"),
    (["the"] * 5, "has 5 words and the model was trained on at most 4"),
])
def test_translate_refuses_in_one_sentence(sentence, message):
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    with pytest.raises(ValueError, match=message) as refusal:
        translate(model, sentence, ENGLISH, KOREAN, max_source_length=4)
    assert "\n" not in str(refusal.value)


both_orders = pytest.mark.parametrize("decoder", [BahdanauDecoder, LuongDecoder])


def make_looker(decoder, seed=3):
    torch.manual_seed(seed)
    return Seq2Seq(Encoder(len(ENGLISH), 5, 12),
                   decoder(len(KOREAN), 5, 12, context=Attend())).double().eval()


@both_orders
def test_weights_of_a_translation_are_those_of_the_steps_that_wrote_it(decoder):
    lengths = set()
    for seed in range(8):
        model, rows = make_looker(decoder, seed), []
        hook = model.decoder.context.register_forward_hook(
            lambda module, inputs, output: rows.append(output[1][0]))
        [ids] = greedy(model, torch.tensor([ENGLISH.ids(["the", "dog", "cat"])]),
                       torch.tensor([3]), max_length=6)
        hook.remove()
        words = KOREAN.tokens(ids)
        weights = translation_weights(model, ["the", "dog", "cat"], words,
                                      ENGLISH, KOREAN)
        assert weights.shape == (len(words), 3) and not weights.requires_grad
        for weight, row in zip(weights, rows):
            torch.testing.assert_close(weight, row)
        lengths.add(len(words))
    assert len(lengths) > 1


@both_orders
def test_any_translation_has_weights_also_an_empty_one(decoder):
    model = make_looker(decoder)
    weights = translation_weights(model, ["the", "dog"], ["개", "는", "자"],
                                  ENGLISH, KOREAN)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(3, dtype=torch.float64))
    batch = torch.tensor([ENGLISH.ids(["the", "dog"])]), torch.tensor([2])
    told = torch.tensor([[BOS, *KOREAN.ids(["개", "는"])]])
    torch.testing.assert_close(weights, source_weights(model, *batch, told)[0])
    assert (translation_weights(model, ["the", "dog"], [], ENGLISH, KOREAN).shape
            == (0, 2))


def test_weights_need_known_words_and_a_model_that_looks():
    with pytest.raises(ValueError, match="does not know 'puppy'"):
        translation_weights(make_looker(LuongDecoder), ["the", "puppy"], ["개"],
                            ENGLISH, KOREAN)
    model = Seq2Seq(Encoder(len(ENGLISH), 5, 12), Decoder(len(KOREAN), 5, 12))
    with pytest.raises(ValueError, match="does not attend: there are no weights"):
        translation_weights(model, ["the", "dog"], ["개"], ENGLISH, KOREAN)


# Beam search and sampling, for models of both kinds

def small_models():
    """A Transformer and two recurrent models of 9 target words, sure enough of
    themselves that beams differ."""
    torch.manual_seed(1)
    keys = nn.Linear(12, 12, bias=False)
    models = [make_transformer(20, 9, TransformerConfig(12, 3, 2, 40, dropout=0.0)),
              make_variant(20, 9, TransformerConfig(12, 3, 1, 40, dropout=0.0),
                           positional_encoding="rotary"),
              Seq2Seq(Encoder(20, 8, 12),
                      LuongDecoder(9, 8, 12, context=Attend(Additive(12, 12), keys))),
              Seq2Seq(Encoder(20, 8, 12, 2, nn.LSTM), Decoder(9, 8, 12, 2, nn.LSTM))]
    for model in models:
        model.double().eval()
        with torch.no_grad():
            model.generator.weight.mul_(4)
    return models


MODELS = small_models()
ROWS = torch.tensor([[5, 6, 7, 8, 0, 0, 0], [9, 5, 4, 6, 11, 12, 13],
                     [4, 4, 9, 15, 16, 0, 0]])
ROW_LENGTHS = torch.tensor([4, 7, 5])


@torch.no_grad()
def assert_same_hypotheses(one, other):
    """The same words; scores may part in the last bits: other sizes, other kernels."""
    assert [found.ids for found in one] == [found.ids for found in other]
    assert ([found.score for found in one]
            == pytest.approx([found.score for found in other], abs=1e-10))


def log_probabilities(model, row, lines, ended):
    """log p of translations of one length, each by one pass with all its words."""
    source, length = ROWS[row:row + 1, :ROW_LENGTHS[row]], ROW_LENGTHS[row:row + 1]
    logits = model(source.expand(len(lines), -1), length.expand(len(lines)),
                   torch.tensor([[BOS, *ids] for ids in lines]))
    logs = without(logits, PAD, BOS).log_softmax(dim=-1).tolist()
    return [sum(table[place][word]
                for place, word in enumerate([*ids, EOS] if ended else ids))
            for table, ids in zip(logs, lines)]


all_models = pytest.mark.parametrize("model", MODELS,
                                     ids=lambda model: type(model).__name__)


@all_models
@pytest.mark.parametrize("longest", [1, 2, 9, 30])
def test_a_beam_of_one_that_divides_by_nothing_is_greedy(model, longest):
    greedily = greedy(model, ROWS, ROW_LENGTHS, max_length=longest)
    found = beam_search(model, ROWS, ROW_LENGTHS, beam_size=1, length_penalty=0.0,
                        max_length=longest)
    assert [one.ids for [one] in found] == greedily
    assert sample(model, ROWS, ROW_LENGTHS, top_k=1, max_length=longest) == greedily
    assert sample(model, ROWS, ROW_LENGTHS, top_p=1e-9, max_length=longest) == greedily
    assert sample(model, ROWS, ROW_LENGTHS, 0, max_length=longest) == greedily
    assert decode(model, ROWS, ROW_LENGTHS, longest,
                  lambda logits: logits.argmax(dim=-1)) == greedily


@all_models
def test_a_wide_beam_finds_what_exhaustive_search_finds(model):
    limit, words = 3, [1, 4, 5, 6, 7, 8]
    found = beam_search(model, ROWS, ROW_LENGTHS, beam_size=300, max_length=limit)
    for row, hypotheses in enumerate(found):
        every = {}
        for length in range(limit + 1):
            lines, ended = [*itertools.product(words, repeat=length)], length < limit
            for ids, total in zip(lines, log_probabilities(model, row, lines, ended)):
                every[ids] = normalised(total, length + ended, 0.6)
        assert {tuple(one.ids) for one in hypotheses} == set(every)
        # they stand in front
        ended = {ids: score for ids, score in every.items() if len(ids) < limit}
        assert tuple(hypotheses[0].ids) == max(ended, key=ended.get)
        for one in hypotheses:
            assert one.score == pytest.approx(every[tuple(one.ids)], abs=1e-9)


@all_models
def test_scores_are_what_one_pass_gives_and_a_batch_changes_nothing(model):
    found = beam_search(model, ROWS, ROW_LENGTHS, beam_size=4, max_length=8)
    for row, hypotheses in enumerate(found):
        assert len(hypotheses) == 4 and len({tuple(one.ids) for one in hypotheses}) == 4
        # what has not ended comes last
        order = [(len(one.ids) == 8, -one.score) for one in hypotheses]
        assert order == sorted(order)
        for one in hypotheses:
            [total] = log_probabilities(model, row, [one.ids], len(one.ids) < 8)
            assert one.log_probability == pytest.approx(total, abs=1e-9)
        [alone] = beam_search(model, ROWS[row:row + 1, :ROW_LENGTHS[row]],
                              ROW_LENGTHS[row:row + 1], beam_size=4, max_length=8)
        assert [one.ids for one in alone] == [one.ids for one in hypotheses]


@functools.cache
def next_logs(model, row, *ids):
    """log p of each word behind a beginning, by a pass over all of it."""
    source, lengths = ROWS[row:row + 1, :ROW_LENGTHS[row]], ROW_LENGTHS[row:row + 1]
    logits = model(source, lengths, torch.tensor([[BOS, *ids]]))[0, -1]
    return without(logits, PAD, BOS).log_softmax(dim=-1).tolist()


def searched_to_the_end(model, row, beam_size, length_penalty, longest):
    """The same search for one sentence, in loops, that never stops early; each step
    reads everything again. Returns pairs (ids, score), the best first."""
    going, found = [([], 0.0)], []
    for length in range(1, longest + 1):
        longer = [(ids + [word], total + log) for ids, total in going
                  for word, log in enumerate(next_logs(model, row, *ids))]
        longer.sort(key=lambda one: -one[1])
        found += [(ids[:-1], normalised(total, length, length_penalty))
                  for ids, total in longer[:beam_size] if ids[-1] == EOS]
        going = [one for one in longer if one[0][-1] != EOS][:beam_size]
    found.sort(key=lambda one: -one[1])
    rest = [(ids, normalised(total, longest, length_penalty)) for ids, total in going]
    return (found[:beam_size] + rest)[:beam_size]


@all_models
@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0, 3.0, -1.0])
def test_stopping_early_changes_nothing(model, beam_size, length_penalty):
    """A sentence is done when nothing that goes on can score better, and not before."""
    found = beam_search(model, ROWS, ROW_LENGTHS, beam_size, length_penalty, 8)
    with torch.no_grad():
        for row, hypotheses in enumerate(found):
            wanted = searched_to_the_end(model, row, beam_size, length_penalty, 8)
            assert [one.ids for one in hypotheses] == [ids for ids, _ in wanted]
            assert ([one.score for one in hypotheses]
                    == pytest.approx([score for _, score in wanted], abs=1e-9))


class Scripted:
    """A model with fixed probabilities after each prefix."""

    def __init__(self, table):
        self.table, self.steps = table, 0

    def start(self, source, source_lengths):
        return [()] * len(source)

    def reorder(self, state, chosen):
        return [state[n] for n in chosen.tolist()]

    def step(self, ids, state):
        self.steps += 1
        state = [(*before, word) for before, word in zip(state, ids.tolist())]
        return torch.stack([self.table(before[1:]) for before in state]), state


def three_words(**shares):
    """Logits of 7 words: EOS (3) and a, b, c (4, 5, 6)."""
    logits = torch.full((7,), -30.0)
    for name, share in shares.items():
        logits[{"end": 3, "a": 4, "b": 5, "c": 6}[name]] = math.log(share)
    return logits


def misleading(before):
    """The likeliest first word leads nowhere: a .55 then nothing above .4; b .45, then
    surely c and the end."""
    return {(): three_words(a=0.55, b=0.45),
            (4,): three_words(end=0.4, a=0.3, b=0.3), (5,): three_words(c=1.0),
            (5, 6): three_words(end=1.0)}.get(before, three_words(end=1.0))


def test_a_beam_finds_what_greedy_misses():
    model, source, lengths = (Scripted(misleading), torch.tensor([[5]]),
                              torch.tensor([1]))
    assert greedy(model, source, lengths, max_length=5) == [[4]]
    [hypotheses] = beam_search(model, source, lengths, beam_size=2, length_penalty=0.0,
                               max_length=5)
    assert (hypotheses[0].ids == [5, 6] and hypotheses[0].log_probability
            == pytest.approx(math.log(0.45), abs=1e-5))


def patient(before):
    """To end at once has .5; the beginning a has .45, and goes on surely to its end."""
    return {(): three_words(end=0.5, a=0.45, b=0.05), (4,): three_words(b=1.0),
            (4, 5): three_words(c=1.0)}.get(before, three_words(end=1.0))


def test_a_search_waits_for_what_can_still_score_better():
    """What goes on scores worse now, and better once its length is counted."""
    model, source, lengths = (Scripted(patient), torch.tensor([[5]]),
                              torch.tensor([1]))
    now = [normalised(math.log(share), 1, 1.0) for share in (0.5, 0.45)]
    later = normalised(math.log(0.45), 4, 1.0)
    assert now[1] < now[0] < later    # the rule "worse now" would stop at once
    [[best]] = beam_search(model, source, lengths, beam_size=1, length_penalty=1.0,
                           max_length=6)
    assert best.ids == [4, 5, 6] and best.score == pytest.approx(later, abs=1e-5)
    # nothing to wait for: at most one word, or sums that are not divided
    for options in ({"length_penalty": 1.0, "max_length": 1},
                    {"length_penalty": 0.0, "max_length": 6}):
        [[best]] = beam_search(model, source, lengths, beam_size=1, **options)
        assert best.ids == []


def test_a_search_waits_too_where_long_ones_are_punished():
    """With a penalty below 0 what goes on scores best if it ends at once."""
    def table(before):
        return {(): three_words(end=0.5, a=0.45, b=0.05),
                (4,): three_words(c=0.55, end=0.4, b=0.05),
                (4, 6): three_words(end=1.0)}.get(before, three_words(b=1.0))

    found = [normalised(math.log(share), length, -1.0)
             for share, length in ((0.45 * 0.4, 2), (0.45 * 0.55, 3))]
    at_last = normalised(math.log(0.45 * 0.55), 20, -1.0)
    assert at_last < found[0] < found[1]
    [hypotheses] = beam_search(Scripted(table), torch.tensor([[5]]), torch.tensor([1]),
                               beam_size=2, length_penalty=-1.0, max_length=20)
    assert [one.ids for one in hypotheses] == [[], [4, 6]]


def test_a_search_stops_when_nothing_can_score_better():
    model = Scripted(lambda before: three_words(end=0.9, a=0.05, b=0.05))
    source, lengths = torch.tensor([[5]]), torch.tensor([1])
    [[best]] = beam_search(model, source, lengths, beam_size=1, length_penalty=0.6,
                           max_length=50)
    assert best.ids == [] and model.steps == 1
    # one of two sentences is done: what it found stays while the other goes on
    model = Scripted(lambda before: three_words(end=0.9, a=0.1) if not before
                     else three_words(b=1.0))
    [[best], [same]] = beam_search(model, torch.tensor([[5], [5]]),
                                   torch.tensor([1, 1]), 1, 0.0, 5)
    assert best.ids == same.ids == [] and model.steps == 1


def test_no_finished_hypothesis_is_lost():
    # the empty translation is second best at once, and best in the end
    def early(before):
        return (three_words(end=0.4, a=0.6)
                if not before else three_words(end=0.34, a=0.33, b=0.33))

    [hypotheses] = beam_search(Scripted(early), torch.tensor([[5]]), torch.tensor([1]),
                               beam_size=2, length_penalty=0.0, max_length=6)
    assert (hypotheses[0].ids == []
            and hypotheses[0].log_probability == pytest.approx(math.log(0.4), abs=1e-5))


def test_the_penalty_prefers_longer_translations():
    def short_or_long(before):
        return {(): three_words(end=0.3, a=0.7), (4,): three_words(b=0.6, end=0.4),
                (4, 5): three_words(c=0.9, end=0.1)
                }.get(before, three_words(end=1.0))

    model, source, lengths = (Scripted(short_or_long), torch.tensor([[5]]),
                              torch.tensor([1]))
    assert (beam_search(model, source, lengths, beam_size=4, length_penalty=0.0,
                        max_length=6)[0][0].ids
            == [4, 5, 6])
    assert normalised(-4.0, 1, 0.0) == -4.0 and normalised(-6.0, 7, 1.0) == -3.0
    best = [beam_search(model, source, lengths, beam_size=4, length_penalty=power,
                        max_length=6)[0] for power in (0.0, 1.0)]
    # the same translation, divided by more
    assert best[0][0].score < best[1][0].score < 0


def test_samples_come_as_often_as_their_probability():
    torch.manual_seed(0)
    model = Scripted(lambda before: three_words(a=0.6, b=0.3, end=0.1)
                     if not before else three_words(end=1.0))
    source, lengths = torch.full((4000, 1), 5), torch.ones(4000, dtype=torch.long)
    for temperature, wanted in ((1.0, 0.6), (0.5, 0.36 / 0.46)):
        drawn = sample(model, source, lengths, temperature, max_length=3)
        assert (sum(ids == [4] for ids in drawn) / 4000
                == pytest.approx(wanted, abs=0.03))
    drawn = sample(model, source, lengths, top_p=0.7, max_length=3)
    assert {tuple(ids) for ids in drawn} == {(4,), (5,)}


# No phrase twice


def written_twice(ids, size):
    runs = [tuple(ids[n:n + size]) for n in range(len(ids) - size + 1)]
    return len(runs) > len(set(runs))


class Chatty(nn.Module):
    """A model that likes to say the same again; its state is how many words it said."""

    def start(self, source, source_lengths):
        return 0 * source[:, 0]

    def step(self, ids, state):
        torch.manual_seed(int(ids.sum()))
        logits = torch.randn(len(ids), V)
        logits[:, 5] += 6.0
        logits[:, EOS] = -3.0
        return logits, state + 1

    def reorder(self, state, chosen):
        return state[chosen]


SEARCHES = {"greedy": greedy, "sample": sample,
            "beam": lambda *given, **more: [[one.ids for one in row] for row in
                                            beam_search(*given, **more, beam_size=3)]}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("name", SEARCHES)
def test_no_run_of_words_is_written_twice(name, size):
    def written(model):
        found = SEARCHES[name](model, SOURCE, LENGTHS, max_length=V - 4)
        return sum(found, []) if name == "beam" else found

    assert any(written_twice(ids, size) for ids in written(Chatty()))
    blocked = written(NoRepeatNgrams(Chatty(), size))
    assert blocked and not any(written_twice(ids, size) for ids in blocked)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_what_would_repeat_is_found_by_a_loop(size):
    torch.manual_seed(size)
    for length in range(1, 9):
        ids = torch.randint(3, 6, (20, length))
        wanted = [[tuple([*row, word][-size:]) in
                   [tuple(row[n:n + size]) for n in range(length - size + 1)]
                   for word in range(V)] for row in ids.tolist()]
        assert repeats(ids, size, V).tolist() == wanted


def test_a_search_that_repeats_nothing_is_as_before():
    model = make_model()
    line = ["the", "dog"]
    assert (translate(NoRepeatNgrams(model, 101), line, ENGLISH, KOREAN)
            == translate(model, line, ENGLISH, KOREAN))
    for search in SEARCHES.values():
        torch.manual_seed(1)
        usual = search(model, SOURCE, LENGTHS, max_length=6)
        torch.manual_seed(1)
        assert search(NoRepeatNgrams(model, 7), SOURCE, LENGTHS, max_length=6) == usual


def test_runs_of_no_word_are_refused():
    with pytest.raises(ValueError, match="size must be 1 or more; got 0"):
        NoRepeatNgrams(make_model(), 0)


def test_a_generator_draws_for_itself():
    model = MODELS[0]
    torch.manual_seed(1)
    drawn = [sample(model, ROWS, ROW_LENGTHS, 2.0, max_length=9,
                    rng=torch.Generator().manual_seed(seed)) for seed in (4, 4, 5)]
    assert drawn[0] == drawn[1] != drawn[2]
    state = torch.get_rng_state()
    torch.manual_seed(1)
    assert torch.equal(state, torch.get_rng_state())    # torch's own was not asked
    torch.manual_seed(4)
    assert sample(model, ROWS, ROW_LENGTHS, 2.0, max_length=9) == drawn[0]


# Pads in front, pads alone

def padded_in_front(source, lengths):
    """The same sentences with their pads in front."""
    rows = [row[:length].tolist() for row, length in zip(source, lengths)]
    return torch.tensor([[PAD] * (source.shape[1] - len(row)) + row for row in rows])


KINDS = {
    **{kind: make_variant(20, 9, TransformerConfig(12, 3, 2, 40, dropout=0.0),
                          positional_encoding=kind)
       for kind in ("sinusoidal", "learned", "rotary")},
    "post-norm": make_variant(20, 9, TransformerConfig(12, 3, 2, 40, dropout=0.0),
                              pre_norm=False),
    "Luong": Seq2Seq(Encoder(20, 8, 12), LuongDecoder(9, 8, 12)),
    "Bahdanau": Seq2Seq(Encoder(20, 8, 12), BahdanauDecoder(9, 8, 12)),
    "no attention": Seq2Seq(Encoder(20, 8, 12, 2, nn.LSTM),
                            Decoder(9, 8, 12, 2, nn.LSTM))}
for one in KINDS.values():
    one.double().eval().generator.weight.data.mul_(4)
all_kinds = pytest.mark.parametrize("kind", KINDS)


@all_kinds
def test_pads_in_front_of_a_source_change_nothing(kind):
    model, target = KINDS[kind], torch.tensor([[BOS, 5, 6], [BOS, 7, 4], [BOS, 8, 8]])
    in_front = padded_in_front(ROWS, ROW_LENGTHS)
    assert (in_front[:, 0] == PAD).any() and not torch.equal(in_front, ROWS)
    with torch.no_grad():
        for shown in (in_front, torch.cat([in_front.new_zeros(3, 2), in_front], dim=1)):
            torch.testing.assert_close(model(shown, ROW_LENGTHS, target),
                                       model(ROWS, ROW_LENGTHS, target),
                                       rtol=0, atol=1e-10)
    assert (greedy(model, in_front, ROW_LENGTHS, max_length=9)
            == greedy(model, ROWS, ROW_LENGTHS, max_length=9))
    behind, before = (beam_search(model, rows, ROW_LENGTHS, 3, max_length=9)
                      for rows in (ROWS, in_front))
    for one, other in zip(behind, before, strict=True):
        assert_same_hypotheses(one, other)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "rotary", "post-norm"])
def test_a_source_of_pads_alone_is_finite_and_moves_no_other(kind):
    model, target = KINDS[kind], torch.tensor([[BOS, 5, 6]] * 4)
    rows = torch.cat([ROWS, torch.full((1, 7), PAD)])
    lengths = torch.cat([ROW_LENGTHS, torch.tensor([0])])
    logits = model(rows, lengths, target)
    assert logits.isfinite().all()
    torch.testing.assert_close(logits[:3], model(ROWS, ROW_LENGTHS, target[:3]),
                               rtol=0, atol=1e-10)
    slopes = torch.autograd.grad(logits.square().sum(), list(model.parameters()),
                                 allow_unused=True)
    assert all(slope is None or slope.isfinite().all() for slope in slopes)
    both = greedy(model, rows, lengths, max_length=9)
    assert len(both) == 4
    assert both[:3] == greedy(model, ROWS, ROW_LENGTHS, max_length=9)
    both = beam_search(model, rows, lengths, max_length=9)
    assert len(both) == 4
    alone = beam_search(model, ROWS, ROW_LENGTHS, max_length=9)
    for one, other in zip(both[:3], alone, strict=True):
        assert_same_hypotheses(one, other)


@pytest.mark.parametrize("decode", [
    greedy, sample, lambda *given, **options: beam_search(*given, 1, **options)],
    ids=["greedy", "sample", "beam search"])
@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]], ids=["Transformer", "RNN"])
def test_what_a_model_keeps_of_its_decoding_can_enter_a_gradient(model, decode):
    """Decoding makes no gradients, but its tensors may serve where some are made."""
    kept = []
    handle = model.generator.register_forward_hook(
        lambda part, inputs, output: kept.append(inputs[0]))
    try:
        decode(model, ROWS, ROW_LENGTHS, max_length=3)
    finally:
        handle.remove()
    assert kept and not any(x.requires_grad or x.is_inference() for x in kept)
    [slope] = torch.autograd.grad(model.generator(kept[0]).square().sum(),
                                  model.generator.bias)
    assert slope.isfinite().all() and slope.any()


def test_weights_of_a_transformer_are_the_mean_of_its_cross_attention():
    torch.manual_seed(3)
    config = TransformerConfig(12, 3, 2, 20)
    model = make_transformer(len(ENGLISH), len(KOREAN), config).eval()
    words, line = ["the", "dog", "cat"], ["개", "는", "자", "자"]
    weights = translation_weights(model, words, line, ENGLISH, KOREAN)
    told = torch.tensor([[BOS, *KOREAN.ids(line)]])
    maps = all_weights(model, torch.tensor([ENGLISH.ids(words)]), torch.tensor([3]),
                       told)[2]
    assert len(maps) == 2 and maps[0].shape == (1, 3, 5, 3)
    for t in range(4):
        mean = sum(part[0, h, t] for part in maps for h in range(3)) / 6
        torch.testing.assert_close(weights[t], mean)
    assert weights.shape == (4, 3) and not weights.requires_grad
    assert translation_weights(model, words, [], ENGLISH, KOREAN).shape == (0, 3)


@pytest.mark.parametrize("call, message", [
    (lambda model: beam_search(model, ROWS, ROW_LENGTHS, beam_size=0),
     "at least one hypothesis; got size 0"),
    (lambda model: beam_search(model, ROWS, ROW_LENGTHS, beam_size=-3),
     "at least one hypothesis; got size -3"),
    *[(lambda model, search=search, most=most: search(model, ROWS, ROW_LENGTHS,
                                                      max_length=most),
       f"max_length must be 1 or more; got {most}")
      for search in (greedy, sample, beam_search) for most in (0, -1)],
    (lambda model: sample(model, ROWS, ROW_LENGTHS, temperature=-1),
     "temperature must be 0 or more, and finite; got -1"),
    (lambda model: sample(model, ROWS, ROW_LENGTHS, min_p=1.1),
     "from 0 to 1; got 1.1")])
def test_what_a_search_refuses(call, message):
    for model in (MODELS[0], MODELS[2]):
        with pytest.raises(ValueError, match=message) as refusal:
            call(model)
        assert "\n" not in str(refusal.value)
