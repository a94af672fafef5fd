"""What stands around attention: positions, dropout, feed-forward, layer norm."""


import torch
from torch import nn


def angles(positions, width, base=10000):
    """Angles that grow with the position: W of them, each slower than the one before.

    positions [..., T]; returns angles [..., T, W] in radians, with W = width / 2
    raises ValueError for an odd width
    """
    if width % 2:
        raise ValueError("angles come in pairs of sine and cosine: "
                         f"width must be even; got {width}")
    slower = torch.arange(0, width, 2).to(positions) / width    # [W]
    return positions[..., None] / base ** slower                # [..., T, W]


def sinusoids(positions, width):
    """Sinusoidal positional encoding: sine and cosine of angles at different speeds.

    positions [T]; returns codes [T, D] with D = width: sin, cos, sin, cos, ...
    Vaswani et al. 2017, section 3.5
    """
    angle = angles(positions, width)                           # [T, W]
    codes = torch.stack([angle.sin(), angle.cos()], dim=-1)    # [T, W, 2]
    return codes.flatten(-2)                                   # [T, 2*W]


def rotate_pairs(first, second, angle):
    """Pairs of numbers turned by angles: a pair is a point, turned about the origin.

    first, second [..., W] and angle [..., W]; returns first and second [..., W]
    """
    cos, sin = angle.cos(), angle.sin()
    return first * cos - second * sin, first * sin + second * cos


def rotate(x, positions):
    """Every pair of numbers turned by an angle of its position: rotary positions, RoPE.

    dot products of turned queries and keys depend on distances alone
    x [..., T, K] are queries or keys, positions [T]; returns turned [..., T, K]
    raises ValueError for an odd K
    Su et al. 2024, section 3.2
    """
    angle = angles(positions, x.shape[-1])                    # [T, W]
    pairs = rotate_pairs(x[..., 0::2], x[..., 1::2], angle)   # [..., T, W], [..., T, W]
    # angles are float32: an x of a smaller type gets its own type back
    return torch.stack(pairs, dim=-1).flatten(-2).to(x.dtype)    # [..., T, 2*W]


class LearnedPositions(nn.Module):
    """A code for each position, learned like a word's; none for one beyond `size`.

    Gehring et al. 2017, section 3.1
    """

    def __init__(self, size, width):
        super().__init__()
        self.table = nn.Embedding(size, width)

    def forward(self, positions):
        """positions [T]; returns codes [T, D]."""
        return self.table(positions)


class Dropout(nn.Dropout):
    """In training each number is 0 with chance p, else divided by 1 - p.

    It is nn.Dropout; but on a CPU, one draw of 64 random bits decides on four numbers,
    with p in steps of 1 / 65,536
    Srivastava et al. 2014, section 10
    """

    def forward(self, x):
        """x of any shape [...]; returns the same shape [...]."""
        if not self.training:
            return x
        lowest = round(2**16 * self.p)    # this many of the 65,536 numbers say: drop
        if lowest in (0, 2**16) or x.device.type != "cpu":
            return super().forward(x)
        bits = torch.empty(x.numel() // 4 + 1, dtype=torch.int64, device="cpu")
        sixteen = bits.random_(-2**63, None).view(torch.int16)    # from -32768 to 32767
        kept = sixteen[:x.numel()].view(x.shape) >= lowest - 2**15
        return x * kept.to(x.dtype).div_(1 - self.p)


class FeedForward(nn.Module):
    """Two linear layers with relu between, an MLP: the same for every word by itself.

    Vaswani et al. 2017, section 3.3
    """

    def __init__(self, width, hidden, dropout=0.0):
        super().__init__()
        self.up = nn.Linear(width, hidden)
        self.dropout = Dropout(dropout)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        """x [..., D]; returns [..., D]."""
        return self.down(self.dropout(self.up(x).relu()))


class LayerNorm(nn.Module):
    """Each word's numbers with mean 0 and variance 1, then a learned gain and bias.

    eps keeps a word of equal numbers finite; computed in float32 at least
    Ba et al. 2016, section 3
    """

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x):
        """x [..., D]; returns [..., D]."""
        # 300 squared is too large for a float16
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        centred = wide - wide.mean(dim=-1, keepdim=True)
        variance = centred.square().mean(dim=-1, keepdim=True)
        normal = (centred / (variance + self.eps).sqrt()).to(x.dtype)
        return normal * self.weight + self.bias


# From outside


def attend_of(part):
    """The function that a module attends with, its own or its config's, else None."""
    own = vars(part)
    return own.get("attend") or getattr(own.get("config"), "attend", None)


def exchanged(part, **others):
    """A module with other parts in place of some, such as `attend` or a layer's norm.

    it is a shallow copy: `forward` and the weights are those of `part`, which stays as
    it is
    """
    twin = type(part).__new__(type(part))    # filled below, faster than copy.copy
    modules = {name: module for name, module in part._modules.items()
               if name not in others}
    # each module as an attribute, too: it is found in a tenth of the time
    twin.__dict__.update(modules)
    twin.__dict__.update(vars(part), _modules=modules, **others)
    return twin
