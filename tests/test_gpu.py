"""On a CUDA GPU the models do what they do on the CPU. `.ci/run --gpu` runs this."""

import copy

import pytest
import torch

from softdict.batches import make_batch
from softdict.decoding import greedy
from softdict.runtime import device
from softdict.seq2seq import Encoder, LuongDecoder, Seq2Seq
from softdict.training import fit
from softdict.transformer import TransformerConfig, make_transformer

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU")]
WORDS = 20
PAIRS = [([4 + k % 7, 5 + k % 11, 6], [19 - k % 7, 8]) for k in range(40)]


def transformer():
    sizes = TransformerConfig(width=32, heads=4, layers=2, hidden=64, dropout=0.0)
    return make_transformer(WORDS, WORDS, sizes)


def recurrent():
    return Seq2Seq(Encoder(WORDS, 16, 32), LuongDecoder(WORDS, 16, 32))


@pytest.fixture(params=[transformer, recurrent], ids=lambda make: make.__name__)
def twins(request):
    """The same model twice, on the CPU and on the GPU."""
    torch.manual_seed(0)
    model = request.param()
    return model, copy.deepcopy(model).to(device())


def test_the_logits_are_the_same(twins):
    batch = make_batch(PAIRS)
    here, there = (model(batch.source, batch.source_lengths, batch.target_in)
                   for model, batch in zip(twins, (batch, batch.to("cuda"))))
    torch.testing.assert_close(there.cpu(), here, atol=1e-4, rtol=1e-4)


def test_a_training_takes_the_same_steps(twins):
    here, there = (fit(model, PAIRS, 5, 1e-3, batch_size=8) for model in twins)
    assert there == pytest.approx(here, rel=1e-3)


def test_the_same_words_are_written(twins):
    batch = make_batch(PAIRS)
    here, there = (
        greedy(model.eval(), batch.source, batch.source_lengths, max_length=5)
        for model, batch in zip(twins, (batch, batch.to("cuda"))))
    assert there == here
