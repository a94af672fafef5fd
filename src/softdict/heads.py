"""Multi-head attention: several questions at once, each with a part of the width.

Projecting and attending are two steps: keys and values that were made once serve every
query to come.
"""

from contextlib import contextmanager

import torch
from torch import nn

from softdict.attention import sdpa
from softdict.layers import exchanged, rotate


def split_heads(x, heads):
    """Splits each word's numbers into H equal parts, and changes no number.

    x [B, T, D]; returns [B, H, T, K] with H = heads and K = D / H
    """
    parts = torch.unflatten(x, -1, (heads, -1))    # [B, T, H, K]
    return parts.transpose(-3, -2)                 # [B, H, T, K]


def merge_heads(parts):
    """Undoes `split_heads`.

    parts [B, H, T, K]; returns x [B, T, D] with D = H times K
    """
    return parts.transpose(-3, -2).flatten(-2)    # [B, T, D]


class MultiHeadAttention(nn.Module):
    """Each head asks with its own queries, keys and values; a matrix mixes the answers.

    attend(query, key, value, allowed) returns context and weights, like `attention`
    raises ValueError if the heads cannot share the width evenly
    Vaswani et al. 2017, section 3.2.2
    """

    def __init__(self, width, heads, attend=sdpa, bias=True):
        super().__init__()
        if heads < 1 or width % heads:
            raise ValueError("width must be a multiple of heads; "
                             f"got width {width} and {heads} heads")
        self.heads, self.attend = heads, attend
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def queries(self, x):
        """x [B, T, D]; returns query [B, H, T, K]."""
        return split_heads(self.query(x), self.heads)

    def keys_and_values(self, source):
        """source [B, S, D]; returns key [B, H, S, K] and value [B, H, S, K]."""
        key = split_heads(self.key(source), self.heads)        # [B, H, S, K]
        value = split_heads(self.value(source), self.heads)    # [B, H, S, K]
        return key, value

    def attend_to(self, x, key, value, allowed=None):
        """x [B, T, D] asks key and value [B, H, S, K]; returns x [B, T, D].

        allowed [B, T, S], [B, 1, S] or [T, S] is True where a query may look: it
        holds for all heads
        """
        allowed = allowed if allowed is None else allowed.unsqueeze(-3)
        context, _ = self.attend(self.queries(x), key, value, allowed)
        return self.out(merge_heads(context))    # [B, T, D]

    def forward(self, x, source=None, allowed=None):
        """x [B, T, D] asks source [B, S, D], or itself: cross- or self-attention.

        returns x [B, T, D]; allowed as for `attend_to`
        """
        key, value = self.keys_and_values(x if source is None else source)
        return self.attend_to(x, key, value, allowed)

    def weights(self, x, source=None, allowed=None):
        """How much each head of each query takes of each key: weights [B, H, T, S].

        x, source and allowed as for `forward`
        """
        kept = []
        exchanged(self, attend=watched(self.attend, kept.append)).forward(
            x, source, allowed)
        return kept[-1]

    def extra_repr(self):
        """What `print` shows beside the parts, and what a saved model is known by."""
        return f"heads={self.heads}"


@contextmanager
def attending(functions):
    """Inside, attentions attend with other functions: `functions` has one for each."""
    before = {part: vars(part).get("attend") for part in functions}
    try:
        for part, attend in functions.items():
            vars(part)["attend"] = attend    # in front of a module of that name too
        yield
    finally:
        for part, attend in before.items():
            del vars(part)["attend"]
            if attend is not None:
                part.attend = attend


def watched(attend, keep):
    """A function that attends like `attend`, and calls keep(weights [B, H, T, S]).

    an answer is weights @ value: with the identity for value, it is the weights
    """
    def attend_and_keep(query, key, value, allowed=None):
        one = torch.eye(key.shape[-2], dtype=key.dtype, device=key.device)    # [S, S]
        keep(attend(query, key, one.expand(*key.shape[:-1], -1), allowed)[0])
        return attend(query, key, value, allowed)

    return attend_and_keep


def rotary(query, key, value, allowed=None, attend=sdpa):
    """Attention with rotary positions (RoPE): queries and keys are turned first.

    query [..., T, K], key [..., S, K], value [..., S, D], allowed as in `attention`
    the queries stand where the last T keys stand
    returns what attend(query, key, value, allowed) returns
    Su et al. 2024, section 3.2
    """
    size, length = query.shape[-2], key.shape[-2]
    positions = torch.arange(length, device=key.device)    # [S]
    query = rotate(query, positions[length - size:])       # [..., T, K]
    return attend(query, rotate(key, positions), value, allowed)
