"""A decoder-only language model: it reads words and scores each word to come next.

Its parts are those of GPT-2 (Radford et al. 2019), or those of Llama (Touvron et al.
2023); each can be exchanged alone. Pads may stand before a text or after it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

import torch
import torch.nn.functional as F
from torch import nn

from softdict import layers
from softdict.attention import sdpa
from softdict.cache import DecoderCache, check_steps
from softdict.heads import merge_heads, split_heads
from softdict.layers import Dropout, LayerNorm, rotate_pairs
from softdict.masks import causal_mask
from softdict.sampling import next_word

LLAMA = {"positions": "rotary", "norm": "rms", "feed_forward": "swiglu",
         "bias": False, "tied": False}    # DecoderOnlyConfig(vocab_size, **LLAMA)


@dataclass(frozen=True)
class DecoderOnlyConfig:
    """The sizes of a language model and the names of its parts: as they are, GPT-2's.

    raises ValueError for heads or names that do not fit
    """

    vocab_size: int
    width: int = 128
    heads: int = 4
    kv_heads: int = 4              # fewer than heads: grouped queries
    layers: int = 4
    hidden: int = 512              # of the feed-forward
    context_length: int = 256      # positions that are learned, or that it has seen
    positions: str = "learned"     # or "rotary"
    pairing: str = "halves"        # of rotary positions; or "interleaved"
    norm: str = "layer"            # or "rms"
    feed_forward: str = "gelu"     # or "swiglu"
    bias: bool = True
    tied: bool = True
    eps: float = 1e-5
    theta: float = 10000.0         # how slow the slowest rotary angle is
    dropout: float = 0.0
    attend: Callable = sdpa

    def __post_init__(self):
        for name, known in (("positions", ("learned", "rotary")), ("norm", NORMS),
                            ("pairing", PAIRINGS), ("feed_forward", FEED_FORWARDS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}; "
                                 f"got {getattr(self, name)!r}")
        if self.heads < 1 or self.width % self.heads:
            raise ValueError("width must be a multiple of heads; got width "
                             f"{self.width} and {self.heads} heads")
        if self.kv_heads < 1 or self.heads % self.kv_heads:
            raise ValueError("heads must be a multiple of kv_heads; got "
                             f"{self.heads} heads and {self.kv_heads} key heads")
        if self.positions == "rotary" and self.width // self.heads % 2:
            raise ValueError("rotary positions turn pairs of numbers: a head's width "
                             f"must be even; got {self.width // self.heads}")


class RMSNorm(nn.Module):
    """Each word's numbers over their root mean square, then a learned gain.

    no mean is subtracted, no bias added; computed in float32 at least
    Zhang and Sennrich 2019, equation 4
    """

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        """x [..., D]; returns [..., D]."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        square = wide.square().mean(dim=-1, keepdim=True)    # [..., 1]
        return (wide / (square + self.eps).sqrt()).to(x.dtype) * self.weight


class GELUFeedForward(nn.Module):
    """GPT-2's feed-forward: two linear layers, and between them GELU by its tanh form.

    Hendrycks and Gimpel 2016, section 2
    """

    def __init__(self, width, hidden, bias=True):
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=bias)
        self.down = nn.Linear(hidden, width, bias=bias)

    def forward(self, x):
        """x [..., D]; returns [..., D]."""
        return self.down(F.gelu(self.up(x), approximate="tanh"))


class SwiGLU(nn.Module):
    """Llama's feed-forward: a third matrix says how much of each number goes through.

    Shazeer 2020, equation 6
    """

    def __init__(self, width, hidden, bias=True):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=bias)
        self.up = nn.Linear(width, hidden, bias=bias)
        self.down = nn.Linear(hidden, width, bias=bias)

    def forward(self, x):
        """x [..., D]; returns [..., D]."""
        return self.down(F.silu(self.gate(x)) * self.up(x))


NORMS = {"layer": LayerNorm, "rms": RMSNorm}
FEED_FORWARDS = {"gelu": GELUFeedForward, "swiglu": SwiGLU}
# which numbers are turned together: i and i + K/2, or 2i and 2i + 1
PAIRINGS = {"halves": ((2, -1), -2), "interleaved": ((-1, 2), -1)}


def apply_rotary(x, angles, pairing):
    """Each pair of numbers turned by an angle: rotary positions (RoPE).

    x [B, H, T, K] are queries or keys, angles [..., T, W] with W = K / 2
    returns turned [B, H, T, K]
    Su et al. 2024, section 3.2.2 (interleaved); the pairing by halves is GPT-NeoX's
    """
    shape, axis = PAIRINGS[pairing]
    first, second = x.unflatten(-1, shape).unbind(axis)    # [B, H, T, W], [B, H, T, W]
    pair = rotate_pairs(first, second, angles)             # [B, H, T, W], [B, H, T, W]
    # angles are float32 at least: what is narrower comes back as it was
    return torch.stack(pair, dim=axis).flatten(-2).to(x.dtype)    # [B, H, T, 2*W]


class GroupedAttention(nn.Module):
    """Causal self-attention in which a group of heads shares its keys and values.

    as many key heads as heads: multi-head attention; one: multi-query attention
    Ainslie et al. 2023, section 2.2
    """

    def __init__(self, config):
        super().__init__()
        self.config, width = config, config.width
        shared = width // config.heads * config.kv_heads
        self.query = nn.Linear(width, width, bias=config.bias)
        self.key = nn.Linear(width, shared, bias=config.bias)
        self.value = nn.Linear(width, shared, bias=config.bias)
        self.out = nn.Linear(width, width, bias=config.bias)

    def forward(self, x, angles, allowed, cache=None, layer=0):
        """x [B, T, D] attends to itself and to the cache; returns x [B, T, D].

        allowed [..., T, S] is True where a word may look
        """
        config = self.config
        query = split_heads(self.query(x), config.heads)       # [B, H, T, K]
        key = split_heads(self.key(x), config.kv_heads)        # [B, G, T, K]
        value = split_heads(self.value(x), config.kv_heads)    # [B, G, T, K]
        if config.positions == "rotary":
            query = apply_rotary(query, angles, config.pairing)       # [B, H, T, K]
            key = apply_rotary(key, angles, config.pairing)           # [B, G, T, K]
        if cache is not None:    # it keeps what a group shares, keys turned already
            key, value = cache.append(layer, key, value)
        group = config.heads // config.kv_heads
        key, value = (part.repeat_interleave(group, dim=1) for part in (key, value))
        context, _ = config.attend(query, key, value, allowed)
        return self.out(merge_heads(context))                   # [B, T, D]

    def extra_repr(self):
        """What `print` shows beside the parts, and what a saved model is known by."""
        config = self.config
        rotary = (f", rotary {config.pairing} {config.theta:g}"
                  if config.positions == "rotary" else "")
        return f"heads={config.heads}, kv_heads={config.kv_heads}{rotary}"


class Layer(nn.Module):
    """Attention, then feed-forward: each reads a norm and is added to what it read.

    Radford et al. 2019, section 2.3; Touvron et al. 2023, section 2.2
    """

    def __init__(self, config):
        super().__init__()
        norm, feed_forward = NORMS[config.norm], FEED_FORWARDS[config.feed_forward]
        self.norm1, self.norm2 = (norm(config.width, config.eps) for _ in range(2))
        self.attention = GroupedAttention(config)
        self.feed_forward = feed_forward(config.width, config.hidden, config.bias)
        self.dropout = Dropout(config.dropout)

    def forward(self, x, angles, allowed, cache=None, layer=0):
        """x [B, T, D]; returns x [B, T, D]; the rest as in GroupedAttention."""
        x = x + self.dropout(
            self.attention(self.norm1(x), angles, allowed, cache, layer))
        return x + self.dropout(self.feed_forward(self.norm2(x)))


class DecoderOnly(nn.Module):
    """Embedding, layers, a last norm, and a generator that scores every word.

    Radford et al. 2019; Touvron et al. 2023
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.width)
        if config.positions == "learned":
            self.learned = nn.Embedding(config.context_length, config.width)
        self.dropout = Dropout(config.dropout)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = NORMS[config.norm](config.width, config.eps)
        self.generator = nn.Linear(config.width, config.vocab_size, bias=False)
        self.initialise()
        self.tie()

    def tie(self):
        """Lets the generator score with the table of the embedding, if they are one."""
        if self.config.tied:
            self.generator.weight = self.embedding.weight

    def initialise(self):
        """Random weights: those that write into the sum are smaller with more layers.

        Radford et al. 2019, section 2.3
        """
        for name, part in self.named_parameters():
            if name.endswith(("out.weight", "down.weight")):
                nn.init.normal_(part, std=0.02 / (2 * self.config.layers) ** 0.5)
            elif part.dim() == 2:
                nn.init.normal_(part, std=0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(part)

    def states(self, ids, positions, allowed, cache=None):
        """What the generator scores: ids [B, T]; returns x [B, T, D].

        positions [..., T]; allowed [..., T, S] is True where a word may look
        """
        config, x, angles = self.config, self.embedding(ids), None
        if config.positions == "learned":
            x = x + self.learned(positions)    # [B, T, D]
        else:
            wide = torch.promote_types(x.dtype, torch.float32)
            angles = layers.angles(positions[..., None, :].to(wide),
                                   config.width // config.heads, config.theta)
        x = self.dropout(x)
        for number, layer in enumerate(self.layers):
            x = layer(x, angles, allowed[..., None, :, :], cache, number)
        if cache is not None:
            cache.check(allowed.shape[-1])
        return self.norm(x)

    def forward(self, ids, real=None, cache=None):
        """Scores of the word after each word: ids [B, T]; returns logits [B, T, V].

        real [B, S] is False for pads; the first S - T words are those in the cache
        positions count from the first real word of each text
        raises ValueError for another S, or more words than learned positions
        """
        size = ids.shape[1] + (cache.length if cache is not None else 0)
        if real is None:
            real = torch.ones(1, size, dtype=torch.bool, device=ids.device)
        if self.config.positions == "learned" and size > self.config.context_length:
            raise ValueError(f"the model has {self.config.context_length} positions; "
                             f"got {size} words")
        if real.shape[-1] != size:
            raise ValueError(f"real must be [B, S] with S={size}, words in the cache "
                             f"counted; got {list(real.shape)}")
        new = slice(size - ids.shape[1], size)
        positions = (real.cumsum(dim=-1) - 1).clamp(min=0)                 # [..., S]
        allowed = causal_mask(size, ids.device)[new] & real[:, None, :]    # [..., T, S]
        return self.generator(self.states(ids, positions[:, new], allowed, cache))

    def start(self):
        """A cache without a word, for any number of texts."""
        check_steps(self, both_ways)
        return DecoderCache([], None, [None] * len(self.layers))


def both_ways(model, count):
    """Words of the vocabulary at once, and word by word from a cache."""
    ids = torch.arange(min(count, model.config.context_length))
    ids = ids % model.config.vocab_size
    ids, cache = ids[None].to(model.embedding.weight.device), model.start()
    steps = [model(word, cache=cache) for word in ids.split(1, dim=1)]
    return model(ids), torch.cat(steps, dim=1)


# Generation


def pads_in_front(texts, device=None):
    """Texts, lists of ids, as one batch, with pads in front (left padding).

    returns ids [B, T] and real [B, T], which is False for pads
    """
    size = max(map(len, texts))
    ids = [[0] * (size - len(text)) + list(text) for text in texts]
    real = [[False] * (size - len(text)) + [True] * len(text) for text in texts]
    return torch.tensor(ids, device=device), torch.tensor(real, device=device)


@torch.no_grad()
def stream(model, texts, count=100, choose=partial(next_word, temperature=0)):
    """Goes on from texts, lists of ids: yields `count` times a new word of each.

    the words, ids [B], are choose(logits [B, V]): the likeliest, or as `next_word`
    draws them; when the longest text, with what is new, is longer than the model has
    seen, it reads the last half of that length of each again
    raises ValueError for a text without a word
    """
    if not texts or not all(map(len, texts)):
        raise ValueError("there is no word to go on from: a text must not be empty")
    context_length = model.config.context_length
    ids, real = pads_in_front(texts, model.embedding.weight.device)    # [B, T], [B, T]
    unread, cache = ids, model.start()
    for _ in range(count):
        if ids.shape[1] > context_length:
            kept = max(1, context_length // 2)
            unread = ids = ids[:, -kept:]
            real, cache = real[:, -kept:], model.start()
        chosen = choose(model(unread, real, cache)[:, -1])             # [B]
        yield chosen
        unread = chosen[:, None]                                       # [B, 1]
        ids = torch.cat([ids, unread], dim=1)
        real = torch.cat([real, torch.ones_like(real[:, :1])], dim=1)


def generate(model, texts, count=100, choose=partial(next_word, temperature=0),
             eos_ids=()):
    """What `stream` gives, as the new ids of each text, `count` at most.

    a text stops before one of the ids `eos_ids`
    raises ValueError for a text without a word
    """
    ended, new = False, []
    for chosen in stream(model, texts, count, choose):
        new.append(chosen)
        ended = ended | torch.isin(chosen, torch.tensor(eos_ids).to(chosen))
        if ended.all():
            break
    rows = torch.stack(new, dim=1).tolist() if new else [[] for _ in texts]
    return [list(takewhile(lambda word: word not in eos_ids, row)) for row in rows]
