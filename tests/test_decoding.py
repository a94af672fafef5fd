"""decoding: stops at EOS, never writes PAD or BOS, treats the sentences of a batch as if each were alone."""

import pytest
import torch

from softdict import decoding
from softdict.decoding import greedy, translate, translation_weights, up_to_end, without
from softdict.seq2seq import Attend, Decoder, Encoder, LuongDecoder, Seq2Seq, source_weights
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
