"""properties: they hold for the right implementations, and each catches several wrong
ones (misconceptions.md).

`CAUGHT` says which. What is wrong in the same way everywhere has every property: M8,
M9, M15, M41, M45 and M47 are told from the right ones by a comparison alone (`UNSEEN`).
"""

from functools import partial

import pytest
import properties
import torch
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from properties import D

from softdict.attention import attention, masked_softmax, scaled_dot, sdpa
from softdict.heads import MultiHeadAttention, merge_heads, rotary, split_heads
from softdict.layers import rotate, sinusoids
from softdict.lookup import dot, softmax
from softdict.masks import causal_mask, padding_mask
from softdict.transformer import EncoderLayer, TransformerConfig
from softdict.variants import PostNormEncoderLayer

H = 3
sentences = st.lists(st.integers(1, 6), min_size=1, max_size=3)
# what fails is not made smaller
same_each_time = settings(max_examples=20, deadline=None, derandomize=True,
                          database=None, report_multiple_bugs=False,
                          phases=[Phase.explicit, Phase.generate])


# Right ones

def every_word(real):
    return real[:, None, :].expand(-1, real.shape[1], -1)    # [B, T, T]


def no_later_word(real):
    return every_word(real) & causal_mask(real.shape[1])    # [B, T, T]


def attention_layer(mask, **options):
    torch.manual_seed(0)
    layer = MultiHeadAttention(D, H, **options).double()
    return lambda x, real: layer(x, allowed=mask(real))


def encoder_layer(mask, kind=EncoderLayer, **options):
    torch.manual_seed(0)
    layer = kind(TransformerConfig(D, H, hidden=20, dropout=0.0, **options)).double()
    return lambda x, real: layer(x, allowed=mask(real))


def right_codes(x, positions):
    return x + sinusoids(positions, x.shape[-1])


def right_scores(query, key, query_positions, key_positions):
    return dot(rotate(query, query_positions), rotate(key, key_positions))


LOOKS = {"heads, fused": attention_layer,
         "heads, explicit": lambda mask: attention_layer(mask, attend=attention),
         "encoder layer, pre": encoder_layer,
         "encoder layer, post": lambda mask: encoder_layer(mask, PostNormEncoderLayer)}
CAUSAL = {name: make(no_later_word) for name, make in LOOKS.items()}
BOTH_WAYS = {name: make(every_word) for name, make in LOOKS.items()}
ROTARY = {"rotary": attention_layer(every_word, attend=rotary),
          "causal rotary": attention_layer(no_later_word, attend=rotary)}
RIGHT = {
    "causality": CAUSAL | {"causal rotary": ROTARY["causal rotary"]},
    "padding": BOTH_WAYS | {f"causal {name}": look for name, look in CAUSAL.items()},
    "batch_independence":
    BOTH_WAYS | ROTARY | {f"causal {name}": look for name, look in CAUSAL.items()},
    "permutation": BOTH_WAYS,
    "row_sums": {"attention": attention, "rotary": partial(rotary, attend=attention)},
    "like_torch": {"attention": attention, "fused": sdpa},
    "shifted_codes": {"sinusoids": right_codes},
    "like_the_paper": {"sinusoids": right_codes},
    "shifted_scores": {"rotate": right_scores}}


@pytest.mark.parametrize("name, kind",
                         [(name, kind) for name in RIGHT for kind in RIGHT[name]])
def test_the_right_ones_have_the_property(name, kind):
    drawn(getattr(properties, name), RIGHT[name][kind])


def test_rotary_positions_tell_the_order():
    with pytest.raises(AssertionError):
        drawn(properties.permutation, ROTARY["rotary"])


def drawn(check, implementation):
    """The check with twenty sets of sentences, the same in each run."""
    @same_each_time
    @example([2, 5, 4], 2, 1)
    @given(sentences, st.integers(1, 4), st.integers(0, 1000))
    def run(lengths, more, seed):
        check(implementation, lengths, more, seed)
    run()


def test_pads_behind_are_those_of_the_padding_mask():
    assert torch.equal(properties.flags([2, 5, 0], behind=1),
                       padding_mask(torch.tensor([2, 5, 0]), 6))


# Wrong ones: attention

def m8_no_scaling(query, key, value, allowed):
    return attention(query, key, value, allowed, dot)


def m9_divided_by_the_width(query, key, value, allowed):
    return attention(query, key, value, allowed,
                     lambda query, key: dot(query, key) / query.shape[-1])


def m11_softmax_over_queries(query, key, value, allowed):
    scores = scaled_dot(query, key)
    weights = masked_softmax(scores.mT, allowed.expand_as(scores).mT).mT
    return weights @ value, weights


def m13_softmax_twice(query, key, value, allowed):
    weights = softmax(masked_softmax(scaled_dot(query, key), allowed))
    return weights @ value, weights


def m15_query_and_key_swapped(query, key, value, allowed):
    weights = masked_softmax(scaled_dot(key, query), allowed)
    return weights @ value, weights


def m18_mask_after_softmax(query, key, value, allowed):
    weights = softmax(scaled_dot(query, key)) * allowed
    return weights @ value, weights


def m19_hidden_scores_are_zero(query, key, value, allowed):
    weights = softmax(scaled_dot(query, key).masked_fill(~allowed, 0))
    return weights @ value, weights


def m21_polarity_inverted(query, key, value, allowed):
    return attention(query, key, value, ~allowed)


def m27_an_empty_row_is_nan(query, key, value, allowed):
    weights = torch.softmax(scaled_dot(query, key).masked_fill(~allowed, -torch.inf),
                            dim=-1)
    return weights @ value, weights


def m27_an_empty_row_is_mended_afterwards(query, key, value, allowed):
    numbers = torch.zeros(allowed.shape).double().masked_fill(~allowed, -torch.inf)
    weights = torch.softmax(scaled_dot(query, key) + numbers, dim=-1).nan_to_num(0)
    return weights @ value, weights


def m27_an_empty_row_is_even(query, key, value, allowed):
    weights = torch.softmax(scaled_dot(query, key).masked_fill(~allowed, -1e9), dim=-1)
    return weights @ value, weights


def m30_ones_and_zeros_added(query, key, value, allowed):
    weights = softmax(scaled_dot(query, key) + allowed.double())
    return weights @ value, weights


def m35_no_mask(query, key, value, allowed):
    return attention(query, key, value)


def m39_over_heads_instead_of_positions(query, key, value, allowed):
    context, weights = attention(*(part.transpose(1, 2)
                                   for part in (query, key, value)))
    return context.transpose(1, 2), weights


def m41_scaled_by_the_whole_width(query, key, value, allowed):
    return attention(query, key, value, allowed,
                     lambda query, key: dot(query, key) / (H * query.shape[-1]) ** 0.5)


def m63_keys_one_place_off(query, key, value, allowed):
    return attention(query, key.roll(1, dims=-2), value, allowed)


# Wrong ones: masks

def m22_a_word_does_not_see_itself(real):
    return every_word(real) & ~torch.ones(real.shape[1],
                                          real.shape[1]).triu(diagonal=0).bool()


def m25_pads_hidden_as_queries(real):
    return every_word(real).mT


def m25_pads_hidden_as_queries_causal(real):
    return every_word(real).mT & causal_mask(real.shape[1])


def m28_causal_or_padding(real):
    return every_word(real) | causal_mask(real.shape[1])


# Wrong ones: heads

def m36_view_without_transpose(x, heads):
    B, T, width = x.shape
    return x.reshape(B, heads, T, width // heads)


def m36_merged_without_transpose(parts):
    B, heads, T, width = parts.shape
    return parts.reshape(B, T, heads * width)


# Wrong ones: what is done to the words before

def m49_positions_along_the_batch(x):
    return x + sinusoids(torch.arange(len(x)), D)[:, None]


def m53_norm_over_time(x):
    return ((x - x.mean(dim=1, keepdim=True))
            / (x.var(dim=1, keepdim=True, correction=0) + 1e-5).sqrt())


def m54_norm_over_time_and_features(x):
    return torch.layer_norm(x, x.shape[1:])


def m67_view_mixes_the_batch(x):
    return x.transpose(0, 1).reshape(x.shape)


# Wrong ones: positions, added and turned

def m45_double_exponent(x, positions):
    angle = positions[:, None] / 10000 ** (2 * torch.arange(0, D, 2) / D)
    return x + torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(-2)


def m45_a_speed_for_each_column(x, positions):
    angle = positions[:, None] / 10000 ** (torch.arange(D) / D)
    return x + torch.stack([angle[:, 0::2].sin(), angle[:, 1::2].cos()],
                           dim=-1).flatten(-2)


def m47_positions_from_one(x, positions):
    return right_codes(x, positions + 1)


def m49_codes_along_the_batch(x, positions):
    return x + sinusoids(positions[:len(x)], D)[:, None]


def m50_words_and_codes_scaled(x, positions):
    return D ** 0.5 * right_codes(x, positions)


def own_share_of_the_length(x, positions):
    return right_codes(x, positions / positions.max())


def own_sine_alone(x, positions):
    angle = positions[:, None] / 10000 ** (torch.arange(0, D, 2) / D)
    return x + angle.sin().repeat_interleave(2, dim=-1)


def own_keys_not_turned(query, key, query_positions, key_positions):
    return dot(rotate(query, query_positions), key)


def own_keys_turned_back(query, key, query_positions, key_positions):
    return dot(rotate(query, query_positions), rotate(key, -key_positions))


def own_codes_added_instead(query, key, query_positions, key_positions):
    return dot(query + sinusoids(query_positions, D), key + sinusoids(key_positions, D))


def own_halves_and_neighbours_mixed(query, key, query_positions, key_positions):
    """Pairs are halves of the vector, but angles are repeated for neighbours."""
    def turn(x, positions):
        angle = (positions[:, None]
                 / 10000 ** (torch.arange(0, D, 2) / D)).repeat_interleave(2, dim=-1)
        other = torch.cat([-x[..., D // 2:], x[..., :D // 2]], dim=-1)
        return x * angle.cos() + other * angle.sin()
    return dot(turn(query, query_positions), turn(key, key_positions))


def m45_turned_by_two_speeds(query, key, query_positions, key_positions):
    """Each column has a speed of its own."""
    def turn(x, positions):
        angle = positions[:, None] / 10000 ** (torch.arange(D) / D)
        first, second = x[..., 0::2], x[..., 1::2]
        cos, sin = angle.cos()[:, 0::2], angle.sin()[:, 1::2]
        return torch.stack([first * cos - second * sin, first * sin + second * cos],
                           dim=-1).flatten(-2)
    return dot(turn(query, query_positions), turn(key, key_positions))


def m47_queries_from_one(query, key, query_positions, key_positions):
    return right_scores(query, key, query_positions + 1, key_positions)


def m49_turned_by_another_axis(query, key, query_positions, key_positions):
    """Positions run along an axis that has one place only: every word is turned as the
    first."""
    return dot(*(rotate(part[:, None], torch.arange(1)).squeeze(1)
                 for part in (query, key)))


# Which are caught

ATTENDS = [m8_no_scaling, m9_divided_by_the_width, m11_softmax_over_queries,
           m13_softmax_twice, m15_query_and_key_swapped, m18_mask_after_softmax,
           m19_hidden_scores_are_zero, m21_polarity_inverted, m27_an_empty_row_is_nan,
           m27_an_empty_row_is_mended_afterwards, m27_an_empty_row_is_even,
           m30_ones_and_zeros_added, m35_no_mask, m39_over_heads_instead_of_positions,
           m41_scaled_by_the_whole_width, m63_keys_one_place_off]
WAYS = {m22_a_word_does_not_see_itself: "mask", m25_pads_hidden_as_queries: "mask",
        m25_pads_hidden_as_queries_causal: "mask", m28_causal_or_padding: "mask",
        m36_view_without_transpose: "split", m36_merged_without_transpose: "merge",
        m49_positions_along_the_batch: "before", m53_norm_over_time: "before",
        m54_norm_over_time_and_features: "before", m67_view_mixes_the_batch: "before",
        **dict.fromkeys(ATTENDS, "attend")}
CODES = [m45_double_exponent, m45_a_speed_for_each_column, m47_positions_from_one,
         m49_codes_along_the_batch,
         m50_words_and_codes_scaled, own_share_of_the_length, own_sine_alone]
SCORES = [own_keys_not_turned, own_keys_turned_back, own_codes_added_instead,
          own_halves_and_neighbours_mixed,
          m45_turned_by_two_speeds, m47_queries_from_one, m49_turned_by_another_axis]


def self_attention(mask=every_word, attend=attention, split=split_heads,
                   merge=merge_heads, before=lambda x: x):
    """Self-attention of parts, one of them wrong."""
    torch.manual_seed(0)
    layer = MultiHeadAttention(D, H).double()

    def look(x, real):
        x = before(x)
        query, key, value = (split(part(x), H)
                             for part in (layer.query, layer.key, layer.value))
        return layer.out(merge(attend(query, key, value, mask(real)[:, None])[0]))
    return look


def test_of_right_parts_it_is_multi_head_attention():
    x, real = properties.draw(0, 3, 5, D), properties.flags([5, 2, 0])
    torch.testing.assert_close(self_attention()(x, real),
                               BOTH_WAYS["heads, explicit"](x, real))


def made(wrong, name):
    """A wrong part as the kind of implementation that a property takes; None where it
    makes no sense."""
    if name in ("shifted_codes", "like_the_paper"):
        return wrong if wrong in CODES else None
    if name == "shifted_scores":
        return wrong if wrong in SCORES else None
    if name in ("row_sums", "like_torch"):
        if (wrong is m39_over_heads_instead_of_positions
            or wrong is m15_query_and_key_swapped and name == "row_sums"):
            return None    # its weights are no [T, S]
        return wrong if wrong in ATTENDS else None
    if wrong not in WAYS:
        return None
    masks = [m22_a_word_does_not_see_itself, m25_pads_hidden_as_queries_causal,
             m28_causal_or_padding]
    if name == "causality":
        parts = {"mask": no_later_word} | {WAYS[wrong]: wrong}
        return None if wrong is m25_pads_hidden_as_queries else self_attention(**parts)
    return (None if name == "permutation" and wrong in masks
            else self_attention(**{WAYS[wrong]: wrong}))


CAUGHT = {
    "causality": [
        m22_a_word_does_not_see_itself, m28_causal_or_padding,
        m36_view_without_transpose, m36_merged_without_transpose, m53_norm_over_time,
        m54_norm_over_time_and_features, m67_view_mixes_the_batch,
        m11_softmax_over_queries, m13_softmax_twice, m18_mask_after_softmax,
        m19_hidden_scores_are_zero, m21_polarity_inverted, m30_ones_and_zeros_added,
        m35_no_mask, m39_over_heads_instead_of_positions, m63_keys_one_place_off],
    "padding": [
        m25_pads_hidden_as_queries, m25_pads_hidden_as_queries_causal,
        m28_causal_or_padding, m36_view_without_transpose, m36_merged_without_transpose,
        m53_norm_over_time, m54_norm_over_time_and_features, m67_view_mixes_the_batch,
        m11_softmax_over_queries, m13_softmax_twice, m18_mask_after_softmax,
        m19_hidden_scores_are_zero, m21_polarity_inverted, m27_an_empty_row_is_nan,
        m27_an_empty_row_is_mended_afterwards, m30_ones_and_zeros_added, m35_no_mask,
        m63_keys_one_place_off],
    "row_sums": [
        m11_softmax_over_queries, m13_softmax_twice, m18_mask_after_softmax,
        m19_hidden_scores_are_zero, m21_polarity_inverted, m27_an_empty_row_is_nan,
        m27_an_empty_row_is_even, m30_ones_and_zeros_added, m35_no_mask],
    "permutation": [
        m36_view_without_transpose, m36_merged_without_transpose,
        m67_view_mixes_the_batch, m63_keys_one_place_off],
    "batch_independence": [
        m25_pads_hidden_as_queries, m36_view_without_transpose,
        m36_merged_without_transpose, m49_positions_along_the_batch, m53_norm_over_time,
        m54_norm_over_time_and_features, m67_view_mixes_the_batch,
        m11_softmax_over_queries, m13_softmax_twice, m18_mask_after_softmax,
        m19_hidden_scores_are_zero, m21_polarity_inverted, m30_ones_and_zeros_added,
        m35_no_mask, m63_keys_one_place_off],
    "shifted_codes": [
        m45_a_speed_for_each_column, m49_codes_along_the_batch,
        m50_words_and_codes_scaled, own_share_of_the_length, own_sine_alone],
    "shifted_scores": SCORES,
    "like_torch": [wrong for wrong in ATTENDS
                   if wrong is not m39_over_heads_instead_of_positions],
    "like_the_paper": CODES}
UNSEEN = {    # by every property: a comparison alone tells them from the right one
    "like_torch": [m8_no_scaling, m9_divided_by_the_width, m15_query_and_key_swapped,
                   m41_scaled_by_the_whole_width],
    "like_the_paper": [m45_double_exponent, m47_positions_from_one]}


def name_of(part):
    return getattr(part, "__name__", None)


@pytest.mark.parametrize("name, wrong", [(name, wrong) for name in CAUGHT
                                         for wrong in CAUGHT[name]], ids=name_of)
def test_a_wrong_one_is_caught(name, wrong, recorder):
    # the property must see it, and no shape note
    with recorder.pause(), pytest.raises(AssertionError):
        drawn(getattr(properties, name), made(wrong, name))


@pytest.mark.parametrize("wrong", [*UNSEEN["like_torch"], *UNSEEN["like_the_paper"]],
                         ids=name_of)
def test_what_is_wrong_in_the_same_way_everywhere_has_all_properties(wrong, recorder):
    with recorder.pause():
        for name in CAUGHT.keys() - UNSEEN.keys():
            if implementation := made(wrong, name):
                drawn(getattr(properties, name), implementation)


def test_no_property_has_a_time_to_keep():    # a busy machine would turn it red
    assert settings().deadline is None
