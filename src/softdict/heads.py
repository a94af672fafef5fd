"""Multi-head attention: several questions at once, each with a part of the width to itself.

Projecting and attending are two steps: keys and values that were made once serve every query to come.
"""

from torch import nn

from softdict.attention import attention, fused
from softdict.layers import rotate


def split_heads(words, heads):
    """Each word's numbers in equal parts, a part a head: no number is changed.

    words [B, T, D]; returns [B, H, T, K] with H = heads and K = D / H
    """
    parts = words.unflatten(-1, (heads, -1))    # [B, T, H, K]
    return parts.transpose(-3, -2)              # [B, H, T, K]


def merge_heads(parts):
    """Undoes `split_heads`.

    parts [B, H, T, K]; returns words [B, T, D] with D = H times K
    """
    return parts.transpose(-3, -2).flatten(-2)    # [B, T, D]


class MultiHeadAttention(nn.Module):
    """Every head looks with queries, keys and values of its own; one more matrix mixes what they found.

    attend(query, key, value, allowed) returns context and weights: any function of that kind
    None takes `attention` where weights are wanted, and `fused` where they are not
    raises ValueError if the heads cannot share the width evenly
    Vaswani et al. 2017, section 3.2.2
    """

    def __init__(self, width, heads, attend=None, bias=True):
        super().__init__()
        if heads < 1 or width % heads:
            raise ValueError(f"width must be a multiple of heads; got width {width} and {heads} heads")
        self.heads = heads
        self.look = attend
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(width, width, bias=bias)
        self.value = nn.Linear(width, width, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)

    def queries(self, words, positions=None):
        """words [B, T, D]; returns query [B, H, T, K], turned by its positions [T] if they are given."""
        query = split_heads(self.query(words), self.heads)    # [B, H, T, K]
        return query if positions is None else rotate(query, positions)

    def keys_and_values(self, source, positions=None):
        """source [B, S, D]; returns key and value [B, H, S, K], the key turned by its positions [S]."""
        key = split_heads(self.key(source), self.heads)        # [B, H, S, K]
        value = split_heads(self.value(source), self.heads)    # [B, H, S, K]
        return key if positions is None else rotate(key, positions), value

    def attend(self, query, key, value, allowed=None, need_weights=False):
        """query [B, H, T, K], key and value [B, H, S, K]; returns words [B, T, D] and weights [B, H, T, S].

        allowed [B, T, S], [B, 1, S] or [T, S] is True where a query may look: it holds for all heads
        weights are None if they are not needed
        """
        look = self.look or (attention if need_weights else fused)
        allowed = allowed if allowed is None else allowed.unsqueeze(-3)
        context, weights = look(query, key, value, allowed)
        words = self.out(merge_heads(context))    # [B, T, D]
        return words, weights if need_weights else None

    def forward(self, words, source=None, allowed=None, positions=None, need_weights=False):
        """words [B, T, D] look among source [B, S, D], or among themselves; returns what `attend` returns.

        positions [T], for words that look among themselves, turn queries and keys (`rotate`)
        """
        query = self.queries(words, positions)
        key, value = self.keys_and_values(words if source is None else source, positions)
        return self.attend(query, key, value, allowed, need_weights)
