"""transformer: the encoder layer against torch's with copied weights, and against its parts; values and gradients."""

import pytest
import torch
from copied import differences, draw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from softdict.attention import attention
from softdict.layers import sinusoids
from softdict.masks import additive_mask, causal_mask, causal_padding_mask, hidden_mask, padding_mask
from softdict.transformer import EncoderLayer, Transformer, all_weights
from softdict.vocab import PAD

few = settings(max_examples=15, deadline=None, derandomize=True)
B, T, H, K, D, HIDDEN = 2, 5, 3, 4, 12, 20
chances = st.integers(0, 10_000)
both_norms = pytest.mark.parametrize("pre_norm", [True, False], ids=["pre", "post"])
both_types = pytest.mark.parametrize("dtype, close", [(torch.float64, 1e-10), (torch.float32, 1e-5)],
                                     ids=["float64", "float32"])
halves = pytest.mark.parametrize("dtype, close", [(torch.float16, 0.02), (torch.bfloat16, 0.15)],
                                 ids=["float16", "bfloat16"])


def make(pre_norm=True, width=D, heads=H, hidden=HIDDEN, dtype=torch.float64, seed=0, **options):
    """A layer whose biases and gains are random too: zeros and ones would hide one in the wrong place."""
    torch.manual_seed(seed)
    layer = EncoderLayer(width, heads, hidden, pre_norm=pre_norm, **options).to(dtype)
    for name, part in layer.named_parameters():
        if part.dim() == 1:
            nn.init.normal_(part, mean=float(name.endswith("norm.weight")), std=0.5)
    return layer


def twin(layer, dropout=0.0):
    """Torch's layer of the same size."""
    widen = layer.feed_forward.widen
    return nn.TransformerEncoderLayer(widen.in_features, layer.attention.heads, widen.out_features, dropout,
                                      batch_first=True, norm_first=layer.looked.pre_norm, dtype=widen.weight.dtype)


# Against torch

RULES = {    # allowed for ours, and what torch is told instead
    "none": lambda lengths, size, dtype: (None, {}),
    "padding": lambda lengths, size, dtype: (
        padding_mask(lengths, size)[:, None, :], {"src_key_padding_mask": hidden_mask(padding_mask(lengths, size))}),
    "causal": lambda lengths, size, dtype: (causal_mask(size), {"src_mask": hidden_mask(causal_mask(size))}),
    "both": lambda lengths, size, dtype: (
        causal_padding_mask(lengths, size),
        {"src_mask": hidden_mask(causal_mask(size)), "src_key_padding_mask": hidden_mask(padding_mask(lengths, size))}),
    "both, added": lambda lengths, size, dtype: (
        causal_padding_mask(lengths, size),
        {"src_mask": additive_mask(causal_mask(size), dtype),
         "src_key_padding_mask": additive_mask(padding_mask(lengths, size), dtype)})}


@both_types
@both_norms
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_the_encoder_layer_equals_torchs(rules, pre_norm, dtype, close):
    """Sentences of pads alone, too: nothing may be looked at, and torch gives zeros there."""
    least = 1 if dtype == torch.float64 else 4    # a norm of two equal numbers is too steep for float32
    sizes = st.tuples(*(st.integers(1, most) for most in (3, 6, 4)), st.integers(least, 5), st.integers(1, 9))

    @few
    @example((B, T, H, K, HIDDEN), 0)
    @given(sizes, chances)
    def check(sizes, seed):
        B, T, H, K, hidden = sizes
        lengths = torch.randint(0, T + 1, (B,), generator=torch.Generator().manual_seed(seed))
        allowed, told = rules(lengths, T, dtype)
        ours = make(pre_norm, H * K, H, hidden, dtype, seed)
        theirs = twin(ours)
        apart = differences(lambda words: ours(words, allowed)[0], lambda words: theirs(words, **told),
                            [draw(seed, B, T, H * K, dtype=dtype)], ours, theirs)
        assert apart.max() <= close
    check()


@both_norms
def test_dropout_is_off_in_evaluation_and_the_layer_equals_torchs(pre_norm):
    ours = make(pre_norm, dropout=0.4).eval()
    theirs = twin(ours, dropout=0.4).eval()
    hidden = hidden_mask(padding_mask(torch.tensor([3, 5]), T))
    apart = differences(lambda words: ours(words, ~hidden[:, None, :])[0],
                        lambda words: theirs(words, src_key_padding_mask=hidden), [draw(1, B, T, D)], ours, theirs)
    assert apart.max() <= 1e-10


@both_norms
def test_dropout_acts_in_training_on_both_answers_and_inside_feed_forward(pre_norm):
    layer, words = make(pre_norm, dropout=0.4), draw(1, B, T, D)
    assert [module.p for module in layer.modules() if isinstance(module, nn.Dropout)] == [0.4] * 3
    assert not torch.equal(layer(words)[0], layer(words)[0])
    layer.eval()
    assert torch.equal(layer(words)[0], layer(words)[0])


# Against its parts

def test_pre_and_post_are_those_of_the_two_papers():
    words, allowed = draw(1, B, T, D), causal_mask(T)
    pre, post = make(True), make(False)
    x = words + pre.attention(pre.looked.norm(words), allowed=allowed)[0]
    torch.testing.assert_close(pre(words, allowed)[0], x + pre.feed_forward(pre.thought.norm(x)))
    x = post.looked.norm(words + post.attention(words, allowed=allowed)[0])
    torch.testing.assert_close(post(words, allowed)[0], post.thought.norm(x + post.feed_forward(x)))


def test_a_layer_without_answers_is_nothing_before_norms_and_two_norms_behind_them():
    words, answers = draw(1, B, T, D), []
    for pre_norm in (True, False):
        layer = EncoderLayer(D, H, HIDDEN, pre_norm=pre_norm).double()
        for part in (layer.attention.out, layer.feed_forward.narrow):
            nn.init.zeros_(part.weight), nn.init.zeros_(part.bias)
        answers.append(layer(words)[0])
    assert torch.equal(answers[0], words)
    torch.testing.assert_close(answers[1].mean(dim=-1), torch.zeros(B, T).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(answers[1].std(dim=-1, correction=0), torch.ones(B, T).double(), rtol=0, atol=1e-4)


def test_weights_are_those_of_its_heads_and_only_where_they_are_wanted():
    layer, words, allowed = make(), draw(1, B, T, D), padding_mask(torch.tensor([3, 5]), T)[:, None, :]
    new, weights = layer(words, allowed, need_weights=True)
    fast, none = layer(words, allowed)
    assert none is None and weights.shape == (B, H, T, T)
    torch.testing.assert_close(fast, new)
    by_heads = layer.attention(layer.looked.norm(words), allowed=allowed, need_weights=True)[1]
    torch.testing.assert_close(weights, by_heads)


def test_the_function_that_looks_can_be_exchanged():
    calls = []

    def counted(*given):
        calls.append(len(given))
        return attention(*given)

    layer, words = make(attend=counted), draw(1, B, T, D)
    torch.testing.assert_close(layer(words, causal_mask(T))[0], make()(words, causal_mask(T))[0])
    assert calls == [4]


def test_positions_reach_the_heads():
    layer, words, positions = make(), draw(1, B, T, D), torch.arange(T).double()
    turned = layer(words, positions=positions)[0]
    torch.testing.assert_close(turned, layer(words, positions=positions + 7)[0], rtol=0, atol=1e-10)
    assert (turned - layer(words)[0]).abs().max() > 0.001


@both_norms
@pytest.mark.parametrize("need_weights", [True, False])
def test_a_sentence_of_pads_alone_gives_finite_gradients_and_disturbs_no_other(pre_norm, need_weights):
    layer, words = make(pre_norm), draw(1, B, T, D).requires_grad_()
    allowed = causal_padding_mask(torch.tensor([0, 4]), T)
    with torch.autograd.set_detect_anomaly(True):
        new, weights = layer(words, allowed, need_weights=need_weights)
        new.square().sum().backward()
    assert new.isfinite().all() and all(part.grad.isfinite().all() for part in (words, *layer.parameters()))
    alone, _ = layer(words[1:], allowed[1:])
    torch.testing.assert_close(new[1:], alone)
    assert weights is None or weights[0].count_nonzero() == 0
    empty = words[:1] if not pre_norm else layer.looked.norm(words[:1])
    assert torch.equal(layer.attention(empty, allowed=allowed[:1])[0], layer.attention.out.bias.expand(1, T, D))


def test_layers_in_a_list_are_independent():
    layers = nn.ModuleList(EncoderLayer(D, H, HIDDEN) for _ in range(3))
    one = 4 * (D * D + D) + (D * HIDDEN + HIDDEN) + (HIDDEN * D + D) + 2 * 2 * D
    assert sum(part.numel() for part in layers.parameters()) == 3 * one
    places = [part.data_ptr() for part in layers.parameters()]
    assert len(set(places)) == len(places) == 3 * 16
    layers[1](draw(0, B, T, D, dtype=torch.float32))[0].square().sum().backward()
    assert [any(part.grad is not None for part in layer.parameters()) for layer in layers] == [False, True, False]


def test_a_layer_keeps_nothing_of_a_sentence():
    layer, words = make(), draw(1, B, T, D)
    before = {name: part.clone() for name, part in layer.state_dict().items()}
    first = layer(words, causal_mask(T), need_weights=True)
    layer(draw(2, 3, 2, D))
    again = layer(words, causal_mask(T), need_weights=True)
    assert all(torch.equal(one, two) for one, two in zip(first, again))
    assert all(torch.equal(part, before[name]) for name, part in layer.state_dict().items())


@halves
@both_norms
def test_half_precision_is_near_and_finite(pre_norm, dtype, close):
    layer, words = make(pre_norm, dtype=torch.float32), draw(1, B, T, D, dtype=torch.float32)
    allowed = causal_padding_mask(torch.tensor([0, 4]), T)
    wanted, _ = layer(words, allowed)
    layer, words = layer.to(dtype), words.to(dtype).requires_grad_()
    for need_weights in (True, False):
        new, _ = layer(words, allowed, torch.arange(T) * 0, need_weights)
        assert new.dtype == dtype
        torch.testing.assert_close(new.float(), wanted, rtol=0, atol=close)
        new.float().square().sum().backward()
        assert all(part.grad.isfinite().all() for part in (words, *layer.parameters()))


def test_half_precision_survives_words_of_three_hundred():
    layer = make(dtype=torch.float16)
    words = (300 * draw(1, B, T, D).sign()).half().requires_grad_()
    new, _ = layer(words, causal_padding_mask(torch.tensor([0, 4]), T))
    assert new.isfinite().all()
    new.float().sum().backward()
    assert all(part.grad.isfinite().all() for part in (words, *layer.parameters()))


@both_norms
@pytest.mark.parametrize("need_weights", [True, False])
def test_every_tensor_is_made_where_the_words_are(pre_norm, need_weights):
    layer = EncoderLayer(D, H, HIDDEN, pre_norm=pre_norm).to("meta")
    lengths, positions = torch.ones(B, dtype=torch.long, device="meta"), torch.arange(T, device="meta")
    new, weights = layer(torch.ones(B, T, D, device="meta"), causal_padding_mask(lengths, T), positions, need_weights)
    assert new.shape == (B, T, D) and new.is_meta and (weights is None or weights.is_meta)


# The whole model

def whole(positions="sinusoidal", **options):
    torch.manual_seed(0)
    return Transformer(20, 30, 12, 3, 2, 40, 0.0, positions=positions, **options).double()


def pairs_of_ids():
    """Two sources of 4 and 7 words, pads behind, and two targets of 5."""
    source, lengths = torch.randint(4, 20, (2, 7)), torch.tensor([4, 7])
    return source.masked_fill(~padding_mask(lengths, 7), PAD), lengths, torch.randint(4, 30, (2, 5))


def copied(ours, theirs):
    """torch's Transformer with the weights of ours."""
    def attention(mine, other):
        projections = mine.query, mine.key, mine.value
        other.in_proj_weight.data = torch.cat([part.weight.data for part in projections])
        other.in_proj_bias.data = torch.cat([part.bias.data for part in projections])
        other.out_proj.load_state_dict(mine.out.state_dict())

    def layer(mine, other, norms):
        attention(mine.attention, other.self_attn)
        other.linear1.load_state_dict(mine.feed_forward.widen.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.narrow.state_dict())
        for number, part in enumerate(norms, start=1):
            getattr(other, f"norm{number}").load_state_dict(part.norm.state_dict())

    for mine, other in zip(ours.encoder.layers, theirs.encoder.layers, strict=True):
        layer(mine, other, (mine.looked, mine.thought))
    for mine, other in zip(ours.decoder.layers, theirs.decoder.layers, strict=True):
        layer(mine, other, (mine.looked, mine.asked, mine.thought))
        attention(mine.source_attention, other.multihead_attn)
    return theirs


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("pre_norm", [True, False])
def test_the_whole_model_equals_torchs(pre_norm):
    ours = whole(pre_norm=pre_norm)
    theirs = nn.Transformer(12, 3, 2, 2, 40, 0.0, batch_first=True, norm_first=pre_norm).double()
    if not pre_norm:    # torch adds a last norm that the paper does not have
        theirs.encoder.norm = theirs.decoder.norm = None
    copied(ours, theirs)
    source, lengths, target = pairs_of_ids()
    words = [ours.encoder.embedding(source, torch.arange(7)), ours.decoder.embedding(target, torch.arange(5))]
    hidden = hidden_mask(padding_mask(lengths, 7))
    wanted = theirs(*words, tgt_mask=hidden_mask(causal_mask(5)), src_key_padding_mask=hidden,
                    memory_key_padding_mask=hidden)
    found = ours.states(source, lengths, target)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)

    weights = torch.randn_like(found)
    (found * weights).sum().backward()
    mine = {name: part.grad.clone() for name, part in ours.named_parameters() if part.grad is not None}
    ours.zero_grad()
    (wanted * weights).sum().backward()
    for name in ("encoder", "decoder"):
        table = f"{name}.embedding.table.weight"
        torch.testing.assert_close(mine[table], ours.get_parameter(table).grad, rtol=0, atol=1e-10)
        for number, (own, other) in enumerate(zip(getattr(ours, name).layers, getattr(theirs, name).layers)):
            start = f"{name}.layers.{number}"
            heads = [("attention", other.self_attn)]
            heads += [("source_attention", other.multihead_attn)] if name == "decoder" else []
            for part, theirs_part in heads:
                together = [mine[f"{start}.{part}.{which}.weight"] for which in ("query", "key", "value")]
                torch.testing.assert_close(torch.cat(together), theirs_part.in_proj_weight.grad, rtol=0, atol=1e-10)
                torch.testing.assert_close(mine[f"{start}.{part}.out.weight"], theirs_part.out_proj.weight.grad,
                                           rtol=0, atol=1e-10)
            for part, theirs_part in (("widen", other.linear1), ("narrow", other.linear2)):
                torch.testing.assert_close(mine[f"{start}.feed_forward.{part}.weight"], theirs_part.weight.grad,
                                           rtol=0, atol=1e-10)
            torch.testing.assert_close(mine[f"{start}.looked.norm.weight"], other.norm1.weight.grad,
                                       rtol=0, atol=1e-10)


def test_parameters_equal_the_count_by_hand():
    def count(module):
        return sum(part.numel() for part in module.parameters())

    paper = Transformer(100, 100, 512, 8, 6, 2048)
    assert count(paper.encoder.layers[0]) == 3_152_384 and count(paper.decoder.layers[0]) == 4_204_032
    stacks = count(paper) - 2 * 100 * 512 - 100    # two embeddings, one of them the generator's too, and its bias
    assert stacks == 44_140_544 == count(nn.Transformer())
    assert count(Transformer(100, 100, 512, 8, 6, 2048, tied=False)) - count(paper) == 100 * 512


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
@pytest.mark.parametrize("pre_norm", [True, False])
def test_word_by_word_equals_all_at_once(positions, pre_norm):
    model = whole(positions, pre_norm=pre_norm).eval()
    source, lengths, target = pairs_of_ids()
    logits, writing = model(source, lengths, target), model.start(source, lengths)
    for t in range(5):
        step, writing = model.step(target[:, t], writing)
        torch.testing.assert_close(step, logits[:, t], rtol=0, atol=1e-12)
    # and in two parts, the second of three words
    first, writing, _ = model.decoder(target[:, :2], model.start(source, lengths))
    rest, _, _ = model.decoder(target[:, 2:], writing)
    torch.testing.assert_close(model.generator(torch.cat([first, rest], dim=1)), logits, rtol=0, atol=1e-12)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_no_state_knows_a_later_word_a_pad_or_another_sentence(positions):
    model = whole(positions).eval()
    source, lengths, target = pairs_of_ids()
    logits = model(source, lengths, target)
    later = target.clone()
    later[:, 3] += 1
    torch.testing.assert_close(model(source, lengths, later)[:, :3], logits[:, :3], rtol=0, atol=0)
    assert not torch.allclose(model(source, lengths, later)[:, 3], logits[:, 3])
    wider = torch.cat([source, torch.randint(4, 20, (2, 3))], dim=1)    # whatever stands there, it is no word
    torch.testing.assert_close(model(wider, lengths, target), logits, rtol=0, atol=1e-12)
    alone = model(source[:1, :4], lengths[:1], target[:1])
    torch.testing.assert_close(alone, logits[:1], rtol=0, atol=1e-12)


def test_several_translations_of_one_source_ask_as_rows_of_one_query():
    model = whole().eval()
    source, lengths, target = pairs_of_ids()
    begun = model.start(source, lengths)
    many = model.rows(begun, torch.tensor([0, 0, 0, 1, 1, 1]))
    assert many.source is begun.source    # nothing of the source is copied
    words = torch.tensor([5, 6, 7, 5, 6, 7])
    logits, many = model.step(words, many)
    for row, word in enumerate(words.tolist()):
        alone, _ = model.step(torch.tensor([word, word]), begun)
        torch.testing.assert_close(logits[row], alone[row // 3], rtol=0, atol=1e-12)
    chosen = model.rows(many, torch.tensor([2, 0, 1, 3, 3, 4]))
    logits, _ = model.step(words, chosen)
    whole_logits = model(source[:1], lengths[:1], torch.tensor([[7, 5]]))
    torch.testing.assert_close(logits[0], whole_logits[0, 1], rtol=0, atol=1e-12)


def test_an_embedding_is_scaled_before_its_position_is_added():
    embedding = whole().encoder.embedding
    with torch.no_grad():
        embedding.table.weight.fill_(1.0)
        embedding.table.weight[3] = 0.0
    codes = sinusoids(torch.arange(2), 12)
    found = embedding(torch.tensor([[3, 4]]), torch.arange(2)).float()
    torch.testing.assert_close(found[0], codes + torch.tensor([[0.0], [12 ** 0.5]]))
    assert whole().encoder.embedding.table.weight[PAD].abs().sum() == 0


def test_tied_and_untied_generators():
    tied, untied = whole(), whole(tied=False)
    assert tied.generator.weight is tied.decoder.embedding.table.weight
    assert untied.generator.weight is not untied.decoder.embedding.table.weight
    source, lengths, target = pairs_of_ids()
    loss = nn.functional.cross_entropy(tied(source, lengths, target).flatten(0, 1), target.flatten())
    assert loss < 2 * torch.tensor(30.0).log()    # the wrong way round it starts near 90


def test_weights_of_every_layer_and_head():
    model = whole().eval()
    source, lengths, target = pairs_of_ids()
    reading, own, asked = all_weights(model, source, lengths, target)
    assert [len(maps) for maps in (reading, own, asked)] == [2, 2, 2]
    for maps, allowed in ((reading, padding_mask(lengths, 7)[:, None, None]), (own, causal_mask(5)),
                          (asked, padding_mask(lengths, 7)[:, None, None])):
        for weights in maps:
            torch.testing.assert_close(weights.sum(dim=-1), torch.ones_like(weights[..., 0]))
            assert (weights[~allowed.expand_as(weights)] == 0).all() and (weights[allowed.expand_as(weights)] > 0).all()
    # the same states, whether weights are asked for or not
    torch.testing.assert_close(model.encoder(source, lengths, need_weights=True)[0],
                               model.encoder(source, lengths)[0], rtol=0, atol=1e-12)


def test_the_readers_own_attention_is_used():
    def first_word(query, key, value, allowed=None):
        weights = torch.zeros(*query.shape[:-1], key.shape[-2], dtype=query.dtype)
        weights[..., 0] = 1.0
        return weights @ value, weights

    model = whole(attend=first_word)
    source, lengths, target = pairs_of_ids()
    assert all((weights[..., 0] == 1).all() for maps in all_weights(model, source, lengths, target) for weights in maps)
    assert not torch.allclose(model(source, lengths, target), whole()(source, lengths, target))


def test_dropout_works_in_training_alone():
    model = Transformer(20, 30, 12, 3, 2, 40, 0.5)
    source, lengths, target = pairs_of_ids()
    assert not torch.equal(model(source, lengths, target), model(source, lengths, target))
    model.eval()
    assert torch.equal(model(source, lengths, target), model(source, lengths, target))


def test_what_a_transformer_refuses():
    model = whole("learned")
    source, lengths, target = pairs_of_ids()
    with pytest.raises(ValueError, match="teacher_forcing must be 1; got 0.5"):
        model(source, lengths, target, 0.5)
    with pytest.raises(ValueError, match='positions must be "sinusoidal", "learned" or "rotary"; got \'none\''):
        whole("none")
    long = torch.randint(4, 20, (1, 513))
    with pytest.raises(ValueError, match="learned codes for 512 positions; got 513 words"):
        model(long, torch.tensor([513]), target[:1])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_stays_finite_and_close(dtype):
    model = whole().float().eval()
    source, lengths, target = pairs_of_ids()
    wanted = model(source, lengths, target)
    found = model.to(dtype)(source, lengths, target)
    assert found.dtype == dtype and found.isfinite().all()
    torch.testing.assert_close(found.float(), wanted, rtol=0, atol=0.1)
