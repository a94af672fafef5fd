"""One attention for the whole book: scores, weights where one may look, an average.

A score is anything that can be called as score(query, key): a function such as `dot`,
or a module that learns. What depends on no query is done to the keys before, once.
"""

import torch
import torch.nn.functional as F
from torch import nn

from softdict.lookup import dot, softmax


def scaled_dot(query, key):
    """Dot product divided by the root of the width: scores do not grow with the width.

    query [..., T, K], key [..., S, K]; returns scores [..., T, S]
    Vaswani et al. 2017, section 3.2.1
    """
    # divided first: a float16 ends at 65504
    return dot(query / query.shape[-1] ** 0.5, key)    # [..., T, S]


class General(nn.Module):
    """Dot product of every key with W query, which is as wide as a key.

    queries are `query_width` wide, keys `key_width`
    Luong et al. 2015, section 3.1, "general"; W has no bias
    """

    def __init__(self, query_width, key_width):
        super().__init__()
        self.query_layer = nn.Linear(query_width, key_width, bias=False)    # W

    def forward(self, query, key):
        """query [..., T, Q], key [..., S, K]; returns scores [..., T, S]."""
        return dot(self.query_layer(query), key)    # [..., T, S]


class Additive(nn.Module):
    """v times tanh(W query + U key); its keys are already multiplied by U.

    queries are `query_width` wide, keys and sums `width`
    U is a Linear without bias: it is applied to all keys at once, before any query
    Bahdanau et al. 2015, section 3.1 and appendix A.1.2
    """

    def __init__(self, query_width, width):
        super().__init__()
        self.query_layer = nn.Linear(query_width, width, bias=False)    # W
        self.energy_layer = nn.Linear(width, 1, bias=False)             # v

    def forward(self, query, key):
        """query [..., T, Q], key [..., S, A]; returns scores [..., T, S]."""
        query = self.query_layer(query)                         # [..., T, A]
        sums = query[..., :, None, :] + key[..., None, :, :]    # [..., T, S, A]
        return self.energy_layer(sums.tanh()).squeeze(-1)       # [..., T, S]


def masked_softmax(scores, allowed):
    """Softmax over the keys that a query may look at; the others weigh 0.

    scores [..., T, S]; allowed is True or False and broadcasts to the scores
    returns weights [..., T, S]; a row that may look at nothing is all 0
    raises ValueError for an `allowed` that does not broadcast
    """
    try:
        hidden = ~allowed.broadcast_to(scores.shape)      # [..., T, S]
    except RuntimeError:
        raise ValueError("allowed must be [..., T, S] and fit scores of "
                         f"{list(scores.shape)}; got {list(allowed.shape)}") from None
    nothing = hidden.all(dim=-1, keepdim=True)            # [..., T, 1]
    scores = scores.masked_fill(hidden, float("-inf"))    # [..., T, S]
    # a row of minus infinity alone would become nan
    scores = scores.masked_fill(nothing, 0)               # [..., T, S]
    return softmax(scores).masked_fill(nothing, 0)        # [..., T, S]


def attention(query, key, value, allowed=None, score=scaled_dot):
    """Weighted average of values; weights say how well each key answers the query.

    query [..., T, Q], key [..., S, K], value [..., S, D]
    score(query, key) gives [..., T, S]; allowed, which broadcasts to that, is True
    where a query may look; None lets every query look everywhere
    returns context [..., T, D] and weights [..., T, S]
    each row of weights adds up to 1, or is all 0 if everything is hidden from it
    """
    scores = score(query, key)                       # [..., T, S]
    if allowed is None:
        weights = softmax(scores)                    # [..., T, S]
    else:
        weights = masked_softmax(scores, allowed)    # [..., T, S]
    return weights @ value, weights                  # [..., T, D], [..., T, S]


def sdpa(query, key, value, allowed=None):
    """`attention` with `scaled_dot` as one operation of torch, which keeps no weights.

    query [..., T, K], key [..., S, K], value [..., S, D]; allowed as in `attention`
    returns context [..., T, D], and None where `attention` returns weights
    raises ValueError for an `allowed` of numbers
    """
    # torch would add numbers to the scores
    if allowed is not None and allowed.dtype != torch.bool:
        raise ValueError(f"allowed must be True or False; got {allowed.dtype}")
    return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed), None


class SelfAttention(nn.Module):
    """Every word of a sentence asks all its words: query, key, value come from one x.

    Vaswani et al. 2017, sections 3.2.1 and 3.2.3
    """

    def __init__(self, width, key_width=None):
        super().__init__()
        key_width = key_width or width
        self.query = nn.Linear(width, key_width, bias=False)
        self.key = nn.Linear(width, key_width, bias=False)
        self.value = nn.Linear(width, width, bias=False)

    def forward(self, x, allowed=None):
        """x [B, T, D]; returns x [B, T, D] and weights [B, T, T].

        allowed [B, T, T] or [B, 1, T] is True where a word may look
        """
        return attention(self.query(x), self.key(x), self.value(x), allowed)
