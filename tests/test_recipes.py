"""recipes: dropout and embeddings of a chosen size, and one table for two languages."""

import pytest
import torch

from softdict.batches import make_batch
from softdict.layers import Dropout
from softdict.saving.recipes import (
    REAL_RNN, REAL_TRANSFORMER, RECIPES, real_text_recipe, rnn,
    share_encoder_decoder_embeddings)
from softdict.training import Settings, TrainingState, batch_loss, update

RNNS = [name for name in RECIPES if not name.startswith("transformer")]
BATCH = make_batch([([4, 5, 6], [5, 4]), ([7], [6, 6, 8])])
SMALL = {"transformer": {"width": 8, "heads": 2, "layers": 1, "hidden": 8},
         "rnn": {"width": 8, "embedding_width": 6}}


def made(name, **options):
    torch.manual_seed(3)
    small = SMALL["transformer" if name.startswith("transformer") else "rnn"]
    return RECIPES[name].build(10, 10, **small | options)


def scores(model):
    return model(BATCH.source, BATCH.source_lengths, BATCH.target_in)


@pytest.mark.parametrize("name", RNNS)
def test_dropout_is_in_the_training_alone(name):
    plain, dropped = made(name), made(name, dropout=0.5)
    assert torch.equal(scores(plain), scores(plain.train()))
    assert torch.equal(scores(plain), scores(dropped.eval()))
    assert not torch.equal(scores(dropped.train()), scores(dropped))
    assert sum(part.numel() for part in plain.parameters()) == sum(
        part.numel() for part in dropped.parameters())


def test_dropout_is_on_what_is_read_and_on_what_is_scored():
    model = rnn(10, 10, 8, 6, dropout=0.4)
    found = {name: part.p for name, part in model.named_modules()
             if isinstance(part, Dropout)}
    assert found == {"encoder.embedding.1": 0.4, "decoder.embedding.1": 0.4,
                     "generator.0": 0.4}
    for part, inputs, axis in ((model.encoder.embedding, BATCH.source, -1),
                               (model.generator[0], torch.ones(4, 8), -1)):
        share = (part(inputs) == 0).float().mean(axis)
        assert 0 < share.mean() < 1


@pytest.mark.parametrize("name", RNNS)
def test_the_width_of_an_embedding_is_chosen(name):
    model = made(name, embedding_width=5)
    assert (model.encoder.embedding.weight.shape
            == model.decoder.embedding.weight.shape == (10, 5))
    assert RECIPES[name].build(10, 10).encoder.embedding.weight.shape == (10, 96)


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_one_table_learns_from_both_languages(name, dropout):
    model = made(name, dropout=dropout)
    two = sum(part.numel() for part in model.parameters())
    share_encoder_decoder_embeddings(model)
    tables = [part for part in model.modules() if isinstance(part, torch.nn.Embedding)]
    assert len(tables) == 1
    assert two - sum(part.numel() for part in model.parameters()) == (
        tables[0].weight.numel())
    # a word that only the source has, and one that only the target has
    batch_loss(model, BATCH, Settings()).backward()
    assert tables[0].weight.grad[7].abs().sum() > 0
    assert tables[0].weight.grad[8].abs().sum() > 0
    state = TrainingState(model, Settings(updates=3))
    assert update(state, BATCH)["loss"] > 0


def test_what_text_of_people_is_trained_with():
    for name in RECIPES:
        options, settings = real_text_recipe(name)
        assert (options, settings) == (
            REAL_TRANSFORMER if "transformer" in name else REAL_RNN)
        RECIPES[name].build(10, 10, **options)    # all of them are its own
