"""variants: the paper's norms against torch's layers, learned and rotary positions."""

import pytest
import torch
from copied import differences, draw
from machines import (
    B, D, RULES, S, SIZES, T, agrees_with_torchs, knows_nothing_it_should_not, machine,
    make_layer, pairs_of_ids, twin)
from torch import nn

from softdict.attention import attention, sdpa
from softdict.heads import rotary
from softdict.masks import causal_mask, causal_padding_mask, hidden_mask, padding_mask
from softdict.transformer import TransformerConfig, make_transformer
from softdict.variants import (
    BOOK, ENCODINGS, LearnedEmbedding, PostNormDecoderLayer, PostNormEncoderLayer,
    UnplacedEmbedding, book_transformer, make_variant)

every_encoding = pytest.mark.parametrize("encoding", ENCODINGS)
both_norms = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre", "post"])
both_types = pytest.mark.parametrize("dtype, close",
                                     [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])
both_ways = pytest.mark.parametrize("attend", [sdpa, attention])


# The paper's norms

@both_types
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_post_norm_encoder_layer_equals_torchs(rules, dtype, close):
    for seed, lengths in enumerate(([3, 5], [0, 4], [5, 1])):    # one of pads alone
        allowed, told = rules(torch.tensor(lengths), T, dtype)
        ours = make_layer(PostNormEncoderLayer, dtype, seed)
        theirs = twin(ours)
        apart = differences(lambda x: ours(x, allowed), lambda x: theirs(x, **told),
                            [draw(seed, B, T, D, dtype=dtype)], ours, theirs)
        assert apart.max() <= close


@both_types
@pytest.mark.parametrize("masked", [True, False])
def test_the_post_norm_decoder_layer_equals_torchs(masked, dtype, close):
    ours = make_layer(PostNormDecoderLayer, dtype)
    real = padding_mask(torch.tensor([4, 7]), S)
    theirs, masks, told = twin(ours), (None, None), {}
    if masked:
        masks = causal_mask(T), real[:, None, :]
        told = {"tgt_mask": hidden_mask(causal_mask(T)),
                "memory_key_padding_mask": hidden_mask(real)}
    apart = differences(lambda x, memory: ours(x, memory, *masks),
                        lambda x, memory: theirs(x, memory, **told),
                        [draw(1, B, T, D, dtype=dtype), draw(2, B, S, D, dtype=dtype)],
                        ours, theirs)
    assert apart.max() <= close


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
def test_the_whole_post_norm_model_equals_torchs():
    agrees_with_torchs(machine(pre_norm=False), norm_first=False)


def test_dropout_acts_on_every_answer_of_a_post_norm_layer():
    layer, x = make_layer(PostNormEncoderLayer, dropout=0.4), draw(1, B, T, D)
    called = []
    layer.dropout.register_forward_hook(lambda *_: called.append("answer"))
    layer.feed_forward.dropout.register_forward_hook(lambda *_: called.append("inside"))
    assert not torch.equal(layer(x), layer(x))
    assert called == 2 * ["answer", "inside", "answer"]
    theirs = twin(layer.eval(), dropout=0.4).eval()
    apart = differences(layer, theirs, [x], layer, theirs)
    assert apart.max() <= 1e-10


def test_the_norms_stand_behind_the_sums():
    """Vaswani et al. 2017, section 3.1"""
    x, allowed = draw(1, B, T, D), causal_mask(T)
    layer = make_layer(PostNormEncoderLayer)
    y = layer.norm1(x + layer.self_attention(x, allowed=allowed))
    torch.testing.assert_close(layer(x, allowed),
                               layer.norm2(y + layer.feed_forward(y)))


def test_a_post_norm_layer_without_answers_is_its_norms():
    layer = PostNormEncoderLayer(TransformerConfig(**SIZES)).double()
    for part in (layer.self_attention.out, layer.feed_forward.down):
        nn.init.zeros_(part.weight)
        nn.init.zeros_(part.bias)
    x = layer(draw(1, B, T, D))
    torch.testing.assert_close(x.mean(dim=-1), torch.zeros(B, T).double(),
                               rtol=0, atol=1e-12)
    torch.testing.assert_close(x.std(dim=-1, correction=0), torch.ones(B, T).double(),
                               rtol=0, atol=1e-4)


@both_ways
def test_a_sentence_of_pads_alone_gives_finite_gradients_and_disturbs_no_other(attend):
    layer = make_layer(PostNormEncoderLayer, attend=attend)
    x = draw(1, B, T, D).requires_grad_()
    allowed = causal_padding_mask(torch.tensor([0, 4]), T)
    with torch.autograd.set_detect_anomaly(True):
        new = layer(x, allowed)
        new.square().sum().backward()
    assert new.isfinite().all() and all(part.grad.isfinite().all()
                                        for part in (x, *layer.parameters()))
    torch.testing.assert_close(new[1:], layer(x[1:], allowed[1:]))
    heads = layer.self_attention
    assert torch.equal(heads(x[:1], allowed=allowed[:1]),
                       heads.out.bias.expand(1, T, D))


@pytest.mark.parametrize("dtype, close",
                         [(torch.float16, 0.02), (torch.bfloat16, 0.15)],
                         ids=["float16", "bfloat16"])
@both_ways
def test_half_precision_is_near_and_finite(attend, dtype, close):
    layer = make_layer(PostNormEncoderLayer, torch.float32, attend=attend)
    x, allowed = (draw(1, B, T, D, dtype=torch.float32),
                  causal_padding_mask(torch.tensor([0, 4]), T))
    wanted = layer(x, allowed)
    layer, x = layer.to(dtype), x.to(dtype).requires_grad_()
    new = layer(x, allowed)
    assert new.dtype == dtype
    torch.testing.assert_close(new.float(), wanted, rtol=0, atol=close)
    new.float().square().sum().backward()
    assert all(part.grad.isfinite().all() for part in (x, *layer.parameters()))


# Every variant

def test_without_options_it_is_the_plain_model():
    config, models = TransformerConfig(**SIZES), []
    for make in (make_transformer, make_variant):
        torch.manual_seed(3)
        models.append(make(20, 30, config).state_dict())
    assert list(models[0]) == list(models[1])
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])


@every_encoding
@both_norms
def test_word_by_word_equals_all_at_once(encoding, pre_norm):
    model = machine(positional_encoding=encoding, pre_norm=pre_norm).eval()
    source, lengths, target = pairs_of_ids()
    logits, cache = model(source, lengths, target), model.start(source, lengths)
    for t in range(T):
        step, cache = model.step(target[:, t], cache)
        torch.testing.assert_close(step, logits[:, t], rtol=0, atol=1e-12)


@every_encoding
@both_norms
def test_what_is_kept_takes_part_in_gradients(encoding, pre_norm):
    model = machine(positional_encoding=encoding, pre_norm=pre_norm)
    source, lengths, target = pairs_of_ids()
    steps, cache = [], model.start(source, lengths)
    for t in range(T):
        step, cache = model.step(target[:, t], cache)
        steps.append(step)
    gradients = [torch.autograd.grad(logits.square().sum(), list(model.parameters()))
                 for logits in (torch.stack(steps, dim=1),
                                model(source, lengths, target))]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-10)


@every_encoding
@both_norms
def test_no_state_knows_a_later_word_a_pad_or_another_sentence(encoding, pre_norm):
    knows_nothing_it_should_not(
        machine(positional_encoding=encoding, pre_norm=pre_norm).eval())


@every_encoding
@both_norms
def test_the_order_of_words_matters_and_where_they_stand(encoding, pre_norm):
    model = machine(positional_encoding=encoding, pre_norm=pre_norm).eval()
    source, lengths, target = pairs_of_ids()
    logits = model(source, lengths, target)
    turned = source.clone()
    turned[:, :4] = source[:, :4].flip(1)
    assert not torch.allclose(model(turned, lengths, target), logits)
    # the last word has read the same words in another order
    swapped = target[:, [1, 0, 2, 3, 4]]
    assert not torch.allclose(model(source, lengths, swapped)[:, -1], logits[:, -1])


# Positions

def test_a_model_with_rotary_positions_turns_in_self_attention_alone():
    model = machine(positional_encoding="rotary", attend=attention)
    layers = [*model.encoder.layers, *model.decoder.layers]
    for layer in layers:
        attend = layer.self_attention.attend
        assert attend.func is rotary and attend.keywords == {"attend": attention}
    assert all(layer.cross_attention.attend is attention
               for layer in model.decoder.layers)
    # without positions a query does not know where its keys stand
    x = draw(1, B, T, D)
    turned, same = layers[0](x), make_variant(
        20, 30, TransformerConfig(**SIZES)).double().encoder.layers[0]
    same.load_state_dict(layers[0].state_dict())
    assert (turned - same(x)).abs().max() > 0.001


def test_words_of_an_unplaced_embedding_do_not_tell_where_they_stand():
    embedding = UnplacedEmbedding(20, TransformerConfig(**SIZES)).double()
    x = embedding(torch.tensor([[5, 6, 5]]), torch.arange(3))
    assert torch.equal(x[0, 0], x[0, 2])
    torch.testing.assert_close(x[0, 1], embedding.table.weight[6] * D ** 0.5)


def test_learned_codes_are_added_behind_the_root_and_learn():
    config = TransformerConfig(**SIZES)
    embedding = LearnedEmbedding(20, config, context_length=9).double()
    ids, positions = torch.tensor([[5, 6, 5]]), torch.tensor([2, 0, 8])
    x = embedding(ids, positions)
    codes = embedding.learned.table.weight[positions]
    torch.testing.assert_close(x[0], embedding.table.weight[ids[0]] * D ** 0.5 + codes)
    x.sum().backward()
    assert embedding.learned.table.weight.grad.sum(dim=-1).nonzero().flatten().tolist(
        ) == [0, 2, 8]
    model = machine(positional_encoding="learned")
    assert (model.encoder.embedding.learned is not model.decoder.embedding.learned
            and model.encoder.embedding.context_length == 512)


def test_a_model_with_learned_positions_refuses_what_is_too_long():
    model = machine(positional_encoding="learned", context_length=S)
    source, lengths, target = pairs_of_ids()
    few = target[:, :S]
    model(source, lengths, few)
    wider = torch.cat([source, source], dim=1)
    wanted = "this model has learned codes for 7 positions; got"
    with pytest.raises(ValueError, match=f"{wanted} 14 words"):
        model(wider, lengths, few)
    with pytest.raises(ValueError, match=f"{wanted} {T} words"):
        model(source, lengths, target)
    cache = model.start(source, lengths)
    for _ in range(S):
        _, cache = model.step(target[:, 0], cache)
    with pytest.raises(ValueError, match=f"{wanted} 8 words"):
        model.step(target[:, 0], cache)


def test_another_encoding_is_refused():
    with pytest.raises(ValueError, match="positional_encoding must be one of "
                       f"{', '.join(ENCODINGS)}; got 'none'"):
        machine(positional_encoding="none")


def test_the_books_model_has_the_books_sizes():
    with torch.device("meta"):
        model = book_transformer(20, 30)
        wider = book_transformer(20, 30, "rotary", pre_norm=False, tied=False, layers=3)
    assert model.generator.in_features == BOOK.width == 128
    assert len(model.encoder.layers) == len(model.decoder.layers) == BOOK.layers == 2
    assert model.encoder.layers[0].self_attention.heads == BOOK.heads == 4
    assert model.encoder.layers[0].feed_forward.up.out_features == 512
    assert model.encoder.layers[0].dropout.p == 0.1
    assert len(wider.decoder.layers) == 3 and isinstance(
        wider.decoder.layers[0], PostNormDecoderLayer)
    assert wider.generator.weight is not wider.decoder.embedding.table.weight
