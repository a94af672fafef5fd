"""What stands around attention in a Transformer: positions, feed-forward, layer norm, residual connection."""

import torch
from torch import nn


def angles(positions, width):
    """Angles that grow with the position: half as many as the width, each slower than the one before.

    positions [T]; returns angles [T, W] in radians, with W = width / 2
    raises ValueError for an odd width
    """
    if width % 2:
        raise ValueError(f"angles come in pairs of sine and cosine: width must be even; got {width}")
    slower = torch.arange(0, width, 2).to(positions) / width    # [W]
    return positions[:, None] / 10000 ** slower                 # [T, W]


def sinusoids(positions, width):
    """A code for each position: sine and cosine of angles that turn at different speeds.

    positions [T]; returns codes [T, D] with D = width: sin, cos, sin, cos, ...
    Vaswani et al. 2017, section 3.5
    """
    angle = angles(positions, width)                           # [T, W]
    codes = torch.stack([angle.sin(), angle.cos()], dim=-1)    # [T, W, 2]
    return codes.flatten(-2)                                   # [T, 2*W]


def rotate(x, positions):
    """Every pair of numbers turned by an angle of its position: dot products then depend on distances alone.

    x [..., T, K] are queries or keys, positions [T]; returns turned [..., T, K]
    raises ValueError for an odd K
    Su et al. 2021, section 3.2, "rotary"
    """
    angle = angles(positions, x.shape[-1])                        # [T, W]
    cos, sin = angle.cos(), angle.sin()
    first, second = x[..., 0::2], x[..., 1::2]                    # [..., T, W], [..., T, W]
    turned = [first * cos - second * sin, first * sin + second * cos]
    # angles are float32: what is narrower comes back as it was
    return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)    # [..., T, 2*W]


class LearnedPositions(nn.Module):
    """A code for each position, learned like a word's; there is none for a position beyond `size`.

    Gehring et al. 2017, section 3.1
    """

    def __init__(self, size, width):
        super().__init__()
        self.table = nn.Embedding(size, width)

    def forward(self, positions):
        """positions [T]; returns codes [T, D]."""
        return self.table(positions)


class Dropout(nn.Dropout):
    """In training each number is 0 with chance p, else divided by 1 - p; in use nothing changes.

    It is nn.Dropout; but on a CPU, one draw of 64 random bits decides on four numbers, with p in steps of 1 / 65,536
    Srivastava et al. 2014, section 10
    """

    def forward(self, numbers):
        """numbers of any shape [...]; returns as many [...]."""
        if not self.training:
            return numbers
        lowest = round(2**16 * self.p)    # so many of the numbers of 16 bits
        if lowest in (0, 2**16) or numbers.device.type != "cpu":
            return super().forward(numbers)
        bits = torch.empty(numbers.numel() // 4 + 1, dtype=torch.int64, device="cpu").random_(-2**63, None)
        sixteen = bits.view(torch.int16)[:numbers.numel()].view(numbers.shape)    # from -32768 to 32767
        kept = sixteen >= lowest - 2**15
        return numbers * kept.to(numbers.dtype).div_(1 - self.p)


class FeedForward(nn.Module):
    """Two linear layers with relu between: the same for every word, each by itself.

    Vaswani et al. 2017, section 3.3
    """

    def __init__(self, width, hidden, dropout=0.0):
        super().__init__()
        self.widen = nn.Linear(width, hidden)
        self.dropout = Dropout(dropout)
        self.narrow = nn.Linear(hidden, width)

    def forward(self, words):
        """words [..., D]; returns [..., D]."""
        return self.narrow(self.dropout(self.widen(words).relu()))


class LayerNorm(nn.Module):
    """Each word's numbers with mean 0 and variance 1, then a learned gain and bias for each feature.

    eps keeps a word of equal numbers finite; computed in float32 at least
    Ba et al. 2016, section 3
    """

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, words):
        """words [..., D]; returns [..., D]."""
        # 300 squared is too large for a float16
        wide = words.to(torch.promote_types(words.dtype, torch.float32))
        centred = wide - wide.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        normal = (centred / (variance + self.eps).sqrt()).to(words.dtype)
        return normal * self.weight + self.bias


class Residual(nn.Module):
    """A layer's answer is added to what went in; the sum, or what goes in, is normalised.

    pre_norm: x + layer(norm(x)), Xiong et al. 2020, figure 1b
    else the paper's norm(x + layer(x)), Vaswani et al. 2017, section 3.1
    dropout, on the answer: section 5.4
    """

    def __init__(self, width, dropout=0.0, pre_norm=True):
        super().__init__()
        self.norm = nn.LayerNorm(width)    # equal to LayerNorm, in one operation
        self.dropout = Dropout(dropout)
        self.pre_norm = pre_norm

    def before(self, words):
        """What the layer reads: words [..., D]; returns [..., D]."""
        return self.norm(words) if self.pre_norm else words

    def after(self, words, answer):
        """What goes on: words and the layer's answer, both [..., D]; returns [..., D]."""
        words = words + self.dropout(answer)
        return words if self.pre_norm else self.norm(words)
