"""The Transformer of 2017 in one file: trained here, it says English numbers in Korean.

Korean counts in ten thousands: "forty five thousand" is 사 만 오 천, 4 10,000 5 1,000.
Brackets name sections of Vaswani et al. 2017, https://arxiv.org/abs/1706.03762.
Letters are sizes: B texts, T words in each, D numbers a word, H heads, V known words.
"""
import math

import torch
from torch import nn


class Attention(nn.Module):    # (3.2)
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, memory, allowed):    # allowed: False where x may not look
        q, k, v = (y.unflatten(-1, (self.heads, -1)).transpose(1, 2) for y in (
            self.query(x), self.key(memory), self.value(memory)))    # [B, H, T, D / H]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.masked_fill(~allowed, -math.inf).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))    # [B, T, D]


class Layer(nn.Module):    # (3.1): of the encoder, or with `cross` of the decoder
    def __init__(self, width, heads, hidden, dropout, cross):
        super().__init__()
        self.self_attention = Attention(width, heads)
        self.cross_attention = Attention(width, heads) if cross else None
        self.feed_forward = nn.Sequential(    # (3.3)
            nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2 + cross))
        self.dropout = nn.Dropout(dropout)    # (5.4)

    def forward(self, x, allowed, memory=None, memory_allowed=None):
        x = self.norms[0](x + self.dropout(self.self_attention(x, x, allowed)))
        if self.cross_attention:
            found = self.cross_attention(x, memory, memory_allowed)
            x = self.norms[1](x + self.dropout(found))
        return self.norms[-1](x + self.dropout(self.feed_forward(x)))


class Transformer(nn.Module):
    def __init__(self, words, width=512, heads=8, layers=6, hidden=2048, dropout=0.1):
        super().__init__()
        self.table = nn.Embedding(words, width)    # for source, target and scores (3.4)
        nn.init.normal_(self.table.weight, std=width ** -0.5)
        sizes = width, heads, hidden, dropout
        self.encoder = nn.ModuleList(Layer(*sizes, cross=False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(*sizes, cross=True) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)

    def embed(self, ids):    # (3.4), (3.5): ids [B, T] to x [B, T, D]
        x = self.table(ids) * math.sqrt(self.table.embedding_dim)
        places, pairs = torch.arange(x.shape[1]).to(x), torch.arange(0, x.shape[2], 2)
        angles = places[:, None] / 10000 ** (pairs.to(x) / x.shape[2])    # [T, D / 2]
        codes = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
        return self.dropout(x + codes)

    def forward(self, source, target):    # ids [B, T] of both, 0 for pads
        memory, words = self.embed(source), (source != 0)[:, None, None]
        for layer in self.encoder:
            memory = layer(memory, words)
        x, earlier = self.embed(target), torch.ones(2 * target.shape[1:]).tril() == 1
        for layer in self.decoder:
            x = layer(x, earlier.to(x.device), memory, words)
        return x @ self.table.weight.T    # scores of the next word, [B, T, V]


SMALL = ["", *"one two three four five six seven eight nine ten eleven twelve thirteen "
         "fourteen fifteen sixteen seventeen eighteen nineteen".split()]
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = ["<pad>", "<bos>", "<eos>", *SMALL[1:], *TENS[2:], "hundred", "thousand",
         *"일이삼사오육칠팔구십백천만"]    # an id is the word's place here


def english(n):    # 0 has no words
    if n < 100:
        return SMALL[n] if n < 20 else f"{TENS[n // 10]} {SMALL[n % 10]}"
    size, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    return f"{english(n // size)} {name} {english(n % size)}"


def korean(n):
    for size, name in (10000, "만"), (1000, "천"), (100, "백"), (10, "십"):
        if n >= size:    # 200 is 이 백, but 100 is 백
            return f"{korean(n // size * (n >= 2 * size))} {name} {korean(n % size)}"
    return " 일이삼사오육칠팔구"[n]


def batch(texts):    # ids [B, T]; short texts get pads behind them, 0
    rows = [[WORDS.index(word) for word in text.split()] for text in texts]
    return nn.utils.rnn.pad_sequence(list(map(torch.tensor, rows)), batch_first=True)


if __name__ == "__main__":
    model = Transformer(len(WORDS), width=64, heads=4, layers=2, hidden=256)
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    for update in range(1, 601):
        up, down = update * 300 ** -1.5, update ** -0.5    # (5.3)
        adam.param_groups[0]["lr"] = min(up, down) / 64 ** 0.5
        numbers = (10 ** (6 * torch.rand(64))).int().tolist()    # 1 to 999,999
        target = batch([f"<bos> {korean(n)} <eos>" for n in numbers])
        scores = model(batch([english(n) for n in numbers]), target[:, :-1])
        loss = nn.functional.cross_entropy(    # label smoothing: (5.4)
            scores.mT, target[:, 1:], ignore_index=0, label_smoothing=0.1)
        adam.zero_grad()
        loss.backward()
        adam.step()
        print(f"update {update}: loss {loss:.2f}", end="\r" if update % 100 else "\n")
    model.eval()
    for n in torch.randint(1, 10 ** 6, (10,)).tolist():
        source, target = batch([english(n)]), batch(["<bos>"])
        while target[0, -1] != 2 and target.shape[1] < 30:    # the likeliest word
            target = torch.cat([target, model(source, target)[:, -1:].argmax(-1)], 1)
        said = " ".join(WORDS[word] for word in target[0, 1:-1])
        print("right" if said.split() == korean(n).split() else "wrong", n, said)
