"""A decoder of today in one file: trained here, it learns to count on.

The parts are Llama's (Touvron et al. 2023, https://arxiv.org/abs/2302.13971): RMSNorm,
RoPE, grouped queries, SwiGLU, no biases. For your own text change `text` and `prompt`.
Letters: B texts, T new words, S words in all, H heads, G groups, K numbers a head.
"""
import math
from functools import partial

import torch
from torch import nn

linear = partial(nn.Linear, bias=False)


class RMSNorm(nn.Module):    # Zhang and Sennrich 2019: no mean is taken away
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return self.weight * x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt()


def rotate(x, start, base=10000.0):    # RoPE, Su et al. 2024: x [B, H, T, K]
    size, width = x.shape[-2:]
    slower = base ** (torch.arange(0, width, 2).to(x) / width)               # [K / 2]
    angle = torch.arange(start, start + size).to(x)[:, None] / slower     # [T, K / 2]
    one, two = x.chunk(2, dim=-1)    # number i is turned with number i + K / 2
    return torch.cat([one * angle.cos() - two * angle.sin(),
                      two * angle.cos() + one * angle.sin()], dim=-1)


class Attention(nn.Module):    # grouped queries, Ainslie et al. 2023
    def __init__(self, width, heads, groups):
        super().__init__()
        self.sizes = heads, groups, groups
        shared = width // heads * groups
        self.query, self.key = linear(width, width), linear(width, shared)
        self.value, self.out = linear(width, shared), linear(width, width)

    def forward(self, x, cache):
        parts = self.query(x), self.key(x), self.value(x)
        q, k, v = (part.unflatten(-1, (size, -1)).transpose(1, 2)    # [B, H or G, T, K]
                   for part, size in zip(parts, self.sizes))
        start = cache[self][0].shape[2] if self in cache else 0
        q, k = rotate(q, start), rotate(k, start)
        if self in cache:    # the keys and values of the words before
            k, v = (torch.cat(pair, dim=2) for pair in zip(cache[self], (k, v)))
        cache[self] = k, v                                           # [B, G, S, K]
        k, v = (y.repeat_interleave(q.shape[1] // y.shape[1], dim=1) for y in (k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])    # [B, H, T, S]
        later = torch.ones_like(scores[0, 0], dtype=torch.bool).triu(start + 1)
        weights = scores.masked_fill(later, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):    # Shazeer 2020
    def __init__(self, width, hidden):
        super().__init__()
        self.gate, self.up = linear(width, hidden), linear(width, hidden)
        self.down = linear(hidden, width)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    def __init__(self, width, heads, groups, hidden):
        super().__init__()
        self.norm1, self.attention = RMSNorm(width), Attention(width, heads, groups)
        self.norm2, self.feed_forward = RMSNorm(width), SwiGLU(width, hidden)

    def forward(self, x, cache):
        x = x + self.attention(self.norm1(x), cache)
        return x + self.feed_forward(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self, words, width, heads, groups, hidden, layers):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.ModuleList(
            Layer(width, heads, groups, hidden) for _ in range(layers))
        self.norm, self.generator = RMSNorm(width), linear(width, words)
        for weight in self.parameters():
            if weight.dim() == 2:
                nn.init.normal_(weight, std=0.02)

    def forward(self, ids, cache=None):    # a cache is a dict, at first an empty one
        x, cache = self.embedding(ids), {} if cache is None else cache
        for layer in self.layers:
            x = layer(x, cache)
        return self.generator(self.norm(x))    # scores of the next word, [B, T, words]


if __name__ == "__main__":
    text = " ".join(str(n) for n in range(10000) if not 6400 < n < 6600)
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(letter) for letter in text])
    model = Decoder(len(letters), width=64, heads=4, groups=2, hidden=176, layers=3)
    adam = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.95), weight_decay=0.1)
    for update in range(400):
        rate = min((update + 1) / 40, 0.5 + 0.5 * math.cos(math.pi * update / 400))
        adam.param_groups[0]["lr"] = 3e-3 * rate    # up in a line, down in a cosine
        places = torch.randint(len(ids) - 64, (16, 1)) + torch.arange(65)
        scores = model(ids[places[:, :-1]])
        loss = nn.functional.cross_entropy(scores.mT, ids[places[:, 1:]])
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        print(f"update {update}: loss {loss:.2f}", end="\r" if update % 50 else "\n")
    for prompt in "6418 6419 ", "6498 6499 ", "6508 6509 ":
        unread, cache, said = [letters.index(letter) for letter in prompt], {}, ""
        while len(said) < 24:    # the likeliest letter; it alone is read next
            scores = model(torch.tensor([unread]), cache)[0, -1]
            unread = [scores.argmax().item()]
            said += letters[unread[0]]
        print(prompt, "...", said)
