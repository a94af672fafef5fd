"""The teacher's pages: answers computed again, codes and cells that exist, live
scripts that run."""

import copy
import functools
import itertools
import math
import random
import re
import subprocess
import sys
from collections import Counter

import lengths
import notebooks as files
import pytest
import torch
import torch.nn.functional as F
from books import ROOT
from softdict.attention import Additive, General, attention
from softdict.batches import make_batch
from softdict.cache import DecoderCache
from softdict.decoding import normalised
from softdict.heads import MultiHeadAttention
from softdict.layers import FeedForward, LayerNorm, rotate, sinusoids
from softdict.linear_attention import (
    empty, gated_delta_rule, linear_attention, read, write)
from softdict.lookup import cosine, dot, exact_lookup, lookup, softmax
from softdict.masks import causal_mask, causal_padding_mask
from softdict.pretraining import block_mask, pack
from softdict.sampling import keep_top_k, keep_top_p
from softdict.texts.real_text import leak
from softdict.transformer import DecoderLayer, EncoderLayer, TransformerConfig
from torch import nn

QUESTIONS, TEACHING = ROOT / "book/questions.md", ROOT / "book/teaching.md"
LIVE = ROOT / "book/live"
KINDS = {"compute by hand", "predict", "find the bug", "explain why", "choose one"}
COMPUTED = {}    # "01.1": what gives the numbers that its answer must hold


def computed(question):
    def keep(work):
        COMPUTED[question] = work
        return work
    return keep


@functools.cache
def page():
    return QUESTIONS.read_text(encoding="utf-8")


def answer(question):
    """The answer of a question, with the plain minus sign of a keyboard."""
    told = page().partition("(answers)=")[2]
    [found] = re.findall(
        rf"^\*\*Q{re.escape(question)}\*\* (.*?)(?=^\*\*Q|^</details>)", told,
        re.DOTALL | re.MULTILINE)
    return found.replace("−", "-")


def count(*parts):
    return sum(number.numel() for part in parts for number in part.parameters())


def places(numbers, digits=3):
    return [f"{number:.{digits}f}" for number in numbers]


# The questions


@computed("01.1")
def _():
    found, weights = exact_lookup("a", list("abaca"), [4, 7, 10, 1, 1])
    assert weights == [1 / 3, 0, 1 / 3, 0, 1 / 3]
    return f"= {found:g}", "1/3, 0, 1/3, 0, 1/3"


@computed("01.2")
def _():
    found, _ = exact_lookup(1, [1, 2, True], [10, 20, 30])
    return f"answers {found}", str(dict(zip([1, 2, True], [10, 20, 30]))[1])


@computed("01.3")
def _():
    matches = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    with pytest.raises(RuntimeError):
        torch.ones(3, 2) / torch.ones(3, 2).sum(dim=1)
    return (str((matches / matches.sum(dim=1)).tolist()),
            str((matches / matches.sum(dim=1, keepdim=True)).tolist()))


@computed("01.4")
def _():
    return (f"{0.75 / 3}",)


@computed("01.5")
def _():
    T, N, S, D = 5, 8, 8, 3
    query, key, value = torch.randn(T, N), torch.randn(S, N), torch.randn(S, D)
    torch.testing.assert_close(query @ key.T @ value, query @ (key.T @ value),
                               atol=1e-4, rtol=1e-4)
    return f"{T * N * S + T * S * D}", f"{N * S * D + T * N * D}"


@computed("02.1")
def _():
    scores = torch.tensor([1.0, 2.0, 5.0]).log()
    warm, cold = softmax(scores).tolist(), softmax(scores / 0.5).tolist()
    return f"{warm[0]:g}, {warm[1]:g}, {warm[2]:g}", *places(cold)


@computed("02.2")
def _():
    weights = softmax(torch.tensor([2.0, 0.0]) / 2).tolist()
    assert math.isclose(weights[0] / weights[1], math.e, rel_tol=1e-5)
    return places(weights)


@computed("02.3")
def _():
    weights = torch.tensor([[0.2, 0.6], [0.3, 0.3], [0.5, 0.1]])
    assert torch.allclose(weights.sum(dim=0), torch.ones(2))
    return places(weights.sum(dim=1).tolist(), 1)


@computed("02.4")
def _():
    query = torch.tensor([[1.0, 2.0], [-1.0, -2.0], [1.0, -2.0]])
    key = torch.tensor([[2.0, 1.0], [20.0, 10.0]])
    found = softmax(cosine(query, key))
    torch.testing.assert_close(found[:, 0], found[:, 1])
    towards, away, across = softmax(dot(query, key)).tolist()
    assert towards[1] > 0.99 > 0.01 > away[1] and across == [0.5, 0.5]
    return ()


@computed("02.5")
def _():
    key = torch.eye(2)
    found, weights = lookup(key[:1], key, key, score=dot)
    assert torch.equal(found, weights)
    return places(found[0].tolist())


@computed("03.1")
def _():
    return (f"{-sum(map(math.log, (0.5, 0.25, 0.125))) / 3:.3f}",)


@computed("03.2")
def _():
    logits = torch.tensor([0.0, 0.0, math.log(2)], requires_grad=True)
    F.cross_entropy(logits[None], torch.tensor([0])).backward()
    return [f"{slope:g}" for slope in logits.grad.tolist()]


@computed("03.3")
def _():
    model = nn.Linear(3, 4)
    before = copy.deepcopy(model.state_dict())
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        loss = F.cross_entropy(model(torch.ones(2, 3)), torch.tensor([0, 1]))
        optimizer.zero_grad()
        optimizer.step()
        loss.backward()
    assert all(torch.equal(number, before[name])
               for name, number in model.state_dict().items())
    return ()


@computed("03.5")
def _():
    return f"{math.exp(2):.1f}", f"{math.log(50):.2f}"


def states(inputs, state=0.0):
    for x in inputs:
        state = math.tanh(x + 0.5 * state)
        yield state


@computed("04.1")
def _():
    return places(states([0, 1, 0]))


@computed("04.2")
def _():
    return places(list(states(row))[-1] for row in ([0, 1], [1, 0]))


@computed("04.3")
def _():
    rnn = nn.GRU(4, 3, 3, bidirectional=True, batch_first=True)
    out, final = rnn(torch.randn(2, 5, 4))
    torch.testing.assert_close(torch.cat([final[4], final[5]], dim=-1),
                               torch.cat([out[:, -1, :3], out[:, 0, 3:]], dim=-1))
    lower = nn.GRU(4, 3, 2, bidirectional=True, batch_first=True)
    lower.load_state_dict({name: number for name, number in rnn.state_dict().items()
                           if "_l2" not in name})
    torch.manual_seed(0)
    x = torch.randn(2, 5, 4)
    torch.testing.assert_close(rnn(x)[1][2], lower(x)[1][2])
    return ()


@computed("04.4")
def _():
    left = list(states([1, 0, 0, 0, 0]))
    return f"{left[0]:.3f}", f"{left[-1]:.3f}"


@computed("04.5")
def _():
    return [f"{count(cell(10, 20)):,}" for cell in (nn.RNN, nn.GRU, nn.LSTM)]


@computed("05.1")
def _():
    return (f"{math.exp((3 * math.log(2) + math.log(16)) / 4):.2f}",
            f"{(2 + 16) / 2:g}")


def clipped_precision(hypothesis, reference, n):
    written, wanted = ([tuple(line[i:i + n]) for i in range(len(line) - n + 1)]
                       for line in (hypothesis, reference))
    found = sum(min(written.count(run), wanted.count(run)) for run in set(written))
    return found, len(written)


@computed("05.4")
def _():
    shares = [clipped_precision(list("abab"), list("abcd"), n) for n in (1, 2, 3)]
    assert shares[2][0] == 0
    return [f"{found} of {of}, or {found / of:.2f}" for found, of in shares[:2]]


@computed("05.5")
def _():
    return (f"{math.exp(1 - 10 / 8):.3f}",)


@computed("06.1")
def _():
    wanted, written = "dog dog cat run".split(), "dog run run mouse".split()
    found, _ = clipped_precision(written, wanted, 1)
    return f"{found} of {len(wanted)}, {found / len(wanted):.2f}", f": {found}."


@computed("06.2")
def _():
    steps = next(n for n in itertools.count() if 0.8 ** n < 0.01)
    return f"after {steps} steps", f"{0.8 ** (steps - 1):.4f}", f"{0.8 ** steps:.4f}"


@computed("06.3")
def _():
    return places((0.95 ** 40, 0.99 ** 40))


@computed("06.4")
def _():
    assert 192 * 32 == 6144
    return (f"{40 * math.log2(800):.0f} bits",)


def longest_wait(needs):
    """Steps until all is done, if whatever is ready is done at once."""
    @functools.cache
    def done(thing):
        return 1 + max((done(before) for before in needs[thing] if before in needs),
                       default=0)
    return max(map(done, needs))


@computed("06.5")
def _():
    S, one, both = 10, {}, {}
    for layer, t in itertools.product((1, 2, 3), range(S)):
        one[layer, t] = [(layer, t - 1), (layer - 1, t)]
        for way, last in (("f", t - 1), ("b", t + 1)):
            both[way, layer, t] = [(way, layer, last), ("f", layer - 1, t),
                                   ("b", layer - 1, t)]
    return f"{longest_wait(both)} steps", f"they can: {longest_wait(one)} steps"


@computed("07.1")
def _():
    source = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    query = torch.tensor([[math.log(2), 0.0]])
    context, weights = attention(query, source, source, score=dot)
    return ", ".join(places(weights[0].tolist(), 1)), str(
        tuple(round(number, 4) for number in context[0].tolist()))


@computed("07.2")
def _():
    same = torch.randn(1, 4).expand(5, 4)
    context, _ = attention(torch.randn(3, 4), same, same)
    torch.testing.assert_close(context, same[:3])
    return ()


@computed("07.3")
def _():
    weights = softmax(torch.randn(2, 3)) * torch.tensor([[1, 1, 1], [1, 1, 0]])
    wrong = weights / weights.sum(dim=0, keepdim=True)
    torch.testing.assert_close(wrong.sum(dim=0), torch.ones(3))
    alone = weights[:1] / weights[:1].sum(dim=0, keepdim=True)
    assert torch.equal(alone, torch.ones(1, 3))
    return ()


@computed("08.1")
def _():
    score = General(3, 2)
    score.query_layer.weight.data = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    query, key = torch.tensor([[1.0, 2.0, 0.0]]), torch.tensor([[3.0, 1.0]])
    return (f"= {score(query, key).item():g}",)


@computed("08.2")
def _():
    score = Additive(2, 3)
    score.energy_layer.weight.data = torch.tensor([[2.0, -1.0, 0.5]])
    query, key = 100 * torch.randn(50, 2), 100 * torch.randn(60, 3)
    assert score(query, key).abs().max() <= 3.5 + 1e-5
    return "-3.5", "3.5"


@computed("08.3")
def _():
    torch.manual_seed(0)
    query, key, c = torch.randn(2, 4), torch.randn(5, 4), torch.randn(4)

    def stays(score):
        before, after = softmax(score(query, key)), softmax(score(query, key + c))
        return torch.allclose(before, after, atol=1e-5)

    assert stays(dot) and not stays(cosine)
    assert not stays(lambda q, k: -torch.cdist(q, k).square() / 2)
    return ()


@computed("08.4")
def _():
    drawn, sure, possible = set("abcd"), set("ae"), set("abe")
    error = 1 - (len(drawn & sure) + len(drawn & possible)) / (len(drawn) + len(sure))
    return (f"{error:.3f}",)


@computed("08.5")
def _():
    return (f"{0.4 + 0.25:.2f}",)


@computed("09.1")
def _():
    words, W_Q = torch.eye(2), torch.tensor([[0.0, 2.0], [2.0, 0.0]])
    _, weights = attention(words @ W_Q, words, words)
    return *places(weights[0].tolist()), f"{2 / 2 ** 0.5:.3f}"


@computed("09.2")
def _():
    ones = torch.ones(3, 64)
    _, weights = attention(ones, ones, ones)
    torch.testing.assert_close(weights, torch.full((3, 3), 1 / 3))
    return (f"64 / 8 = {64 / 8:g}",)


@computed("09.3")
def _():
    return (f"{64 ** 0.5 / 4 ** 0.5:g} times too large",)


@computed("09.4")
def _():
    layer = MultiHeadAttention(8, 2)
    words = torch.randn(1, 3, 8)
    words[0, 2] = words[0, 0]
    found = layer(words)[0]
    torch.testing.assert_close(found[0], found[2])
    return ()


@computed("09.5")
def _():
    return (f"= {3 * 512 ** 2 // (2 * 512)}", f"{3 * 512 ** 2:,}",
            f"{2 * 1000 * 512:,}")


@computed("10.1")
def _():
    layer = MultiHeadAttention(24, 6)
    weights = layer.weights(torch.randn(1, 10, 24))
    return f"{count(layer):,} parameters", f": {weights.numel()}."


@computed("10.2")
def _():
    x = torch.arange(8).view(2, 4)
    return (str(x.view(2, 2, 2).transpose(0, 1)[1].tolist()),
            str(x.view(2, 2, 2)[1].tolist()))


@computed("10.3")
def _():
    x = torch.arange(8)
    assert x.unflatten(-1, (-1, 2))[..., 0].tolist() == [0, 2, 4, 6]
    return ()


@computed("10.4")
def _():
    torch.manual_seed(0)
    for twins_of_out, alike in ((False, False), (True, True)):
        layer = MultiHeadAttention(4, 2)
        for part in (layer.query, layer.key, layer.value):
            part.weight.data[2:] = part.weight.data[:2]
            part.bias.data[2:] = part.bias.data[:2]
        if twins_of_out:
            layer.out.weight.data[:, 2:] = layer.out.weight.data[:, :2]
        optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            layer(torch.randn(2, 5, 4)).square().sum().backward()
            optimizer.step()
        assert torch.allclose(layer.value.weight[2:], layer.value.weight[:2]) == alike
    return ()


@computed("10.5")
def _():
    layer = MultiHeadAttention(6, 2, lambda query, key, value, allowed: (value, None))
    x = torch.randn(2, 5, 6)
    torch.testing.assert_close(layer(x), layer.out(layer.value(x)))
    return ()


@computed("11.1")
def _():
    allowed = causal_padding_mask(torch.tensor([2, 4]), 4)
    assert allowed[0].sum(dim=1).tolist() == [1, 2, 2, 2]
    short, full = allowed.flatten(1).sum(dim=1).tolist()
    return (f"{short} and {full}.",)


@computed("11.2")
def _():
    scores = torch.tensor([0.0, math.log(3), 5.0])
    right = softmax(scores[:2]).tolist()
    wrong = softmax(scores)[:2]
    return *places(right, 2), *places(wrong.tolist()), f"{wrong.sum():.3f} together"


@computed("11.3")
def _():
    scores, allowed = torch.randn(4, 4), causal_mask(4)
    torch.testing.assert_close(
        softmax(scores + allowed.float().log()),
        softmax(scores.masked_fill(~allowed, -torch.inf)))
    return ()


def seen(layers, allowed):
    """Which old words reach each new word through some layers."""
    reach = torch.eye(len(allowed)).bool()
    for _ in range(layers):
        reach = (allowed.float() @ reach.float()) > 0
    return reach


@computed("11.4")
def _():
    window = causal_mask(12).triu(-2)
    assert seen(2, window)[10].nonzero().min() == 6
    return ()


@computed("11.5")
def _():
    leaks = seen(1, torch.ones(6, 6).tril(1).bool()).triu(1)
    assert not leaks[0, 5] and leaks[:, 5].nonzero().tolist() == [[4]]
    return (f"{leaks.sum().item()} leaks",)


@computed("12.1")
def _():
    p = torch.tensor([2.0, 5.0, 102.0, 105.0], dtype=torch.float64)
    codes = sinusoids(p, 2)
    products = [(codes[0] @ codes[1]).item(), (codes[2] @ codes[3]).item()]
    assert math.isclose(*products, abs_tol=1e-12)
    return (f"= {products[0]:.3f}",)


@computed("12.2")
def _():
    quarter = math.pi / 2    # hand 0 turns by 1 a position
    one = torch.tensor([[1.0, 0.0]])
    scores = [(rotate(one, torch.tensor([3 * quarter]))
               @ rotate(one, torch.tensor([s * quarter])).T).item() for s in (2, 1, 3)]
    return (": {:.0f}, {:.0f} and {:.0f}.".format(*map(abs, scores[:1]), *scores[1:]),)


@computed("12.3")
def _():
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 5, 4).double().unbind()

    def answers(first, turn_values):
        p = first + torch.arange(5).double()
        values = rotate(value, p) if turn_values else value
        return attention(rotate(query, p), rotate(key, p), values)[0]

    torch.testing.assert_close(answers(0, False), answers(10, False))
    assert (answers(0, True) - answers(10, True)).abs().max() > 0.1
    return ()


@computed("12.4")
def _():
    weights = softmax(-math.log(2) * torch.tensor([0.0, 1.0, 2.0]))
    torch.testing.assert_close(7 * weights, torch.tensor([4.0, 2.0, 1.0]))
    return places(weights.tolist())


@computed("12.5")
def _():
    table, biases = 512 * 768, 12 * (2 * 128 + 1)
    assert table > 100 * biases
    return f"{table:,}", f"{biases:,}"


@computed("13.1")
def _():
    network = FeedForward(1, 2)
    network.up.weight.data = torch.tensor([[1.0], [-1.0]])
    network.up.bias.data = torch.tensor([0.0, 1.0])
    network.down.weight.data = torch.tensor([[2.0, 3.0]])
    network.down.bias.data = torch.tensor([-1.0])
    found = network(torch.tensor([[2.0], [-2.0]]))[:, 0].tolist()
    return [f"= {number:g}." for number in found]


@computed("13.2")
def _():
    assert (-0.5) ** 10 == 0.5 ** 10 == (1 - 0.5) ** 10
    return f"{0.5 ** 10:.5f}", f"{1.5 ** 10:.1f}"


@computed("13.3")
def _():
    norm = LayerNorm(4, eps=0.0)
    norm.weight.data = torch.tensor([1.0, 2.0, 1.0, 2.0])
    norm.bias.data = torch.tensor([0.0, 0.0, 0.0, 1.0])
    found = norm(torch.tensor([2.0, 2.0, 6.0, 6.0])).tolist()
    return (", ".join(f"{number:g}" for number in found),)


@computed("13.4")
def _():
    layer = EncoderLayer(TransformerConfig(64, 4, hidden=256))
    before = count(layer)
    layer.norm2 = layer.norm1
    return (f"{before - count(layer)} are missing",)


@computed("13.5")
def _():
    return (f"{count(FeedForward(64, 256)):,}", f"{count(MultiHeadAttention(64, 4)):,}")


@computed("14.1")
def _():
    own, source = torch.randn(4, 9, 16), torch.randn(4, 13, 16)
    layer = DecoderLayer(TransformerConfig(16, 8, hidden=16))
    weights = (layer.self_attention.weights(own),
               layer.cross_attention.weights(own, source))
    return (f"= {sum(part.numel() for part in weights):,}.",)


@computed("14.2")
def _():
    config = TransformerConfig(64, 4, hidden=256)
    return [f"{count(part):,}" for part in (
        MultiHeadAttention(64, 4), FeedForward(64, 256), nn.LayerNorm(64),
        EncoderLayer(config), DecoderLayer(config))]


@computed("14.3")
def _():
    torch.manual_seed(0)
    config = TransformerConfig(12, 3, hidden=24, dropout=0.0)
    layers = [DecoderLayer(config) for _ in range(2)]
    x, source = torch.randn(1, 5, 12), torch.randn(1, 5, 12)
    later = x.clone()
    later[0, 4] += 1

    def first_moves(wrong):
        found = []
        for words in (x, later):
            memory = source
            for layer in layers:
                words = layer(words, memory, causal_mask(5),
                              torch.ones(1, 1, 5, dtype=torch.bool))
                memory = words if wrong else source
            found.append(words[0, 0])
        return not torch.allclose(*found)

    assert first_moves(wrong=True) and not first_moves(wrong=False)
    return ()


@computed("14.5")
def _():
    return (f"{8 * math.log(8) / 40:.3f}",)


@computed("15.1")
def _():
    return f"{math.log(1000):.2f}", f"{0.4 * math.log(1000):.2f}"


def pads(lengths, size):
    batches = [lengths[n:n + size] for n in range(0, len(lengths), size)]
    return [sum(max(batch) - length for length in batch) for batch in batches]


@computed("15.3")
def _():
    rows = [2, 9, 3, 10, 4, 8]
    return [f"{' + '.join(map(str, found))} = {sum(found)}"
            for found in (pads(rows, 2), pads(sorted(rows), 2))]


@computed("15.4")
def _():
    words, losses = (10, 10, 10, 70), (2, 2, 2, 1)
    whole = sum(n * loss for n, loss in zip(words, losses)) / sum(words)
    assert max(words) / min(words) == 7
    return f"= {whole:.2f}", f"{sum(losses) / 4:.2f}"


@computed("15.5")
def _():
    wanted = torch.tensor([0.84] + 4 * [0.04])
    found = F.cross_entropy(wanted.log()[None], torch.tensor([0]), label_smoothing=0.2)
    assert math.isclose(-(wanted * wanted.log()).sum(), found, rel_tol=1e-5)
    return (f"{found.item():.3f}",)


@computed("16.1")
def _():
    return (f"= {196 * math.sqrt(0.9 * 0.1 / 100):.1f} points",
            f"{math.ceil(1.96 ** 2 * 0.09 / 0.02 ** 2)} sentences")


@computed("16.2")
def _():
    return (f"= {100 * (24 - 12) / 400:.1f} points",
            f"= {196 * math.sqrt(36) / 400:.1f} points")


def p_of_extremes(first, second):
    """p of a permutation test if all of one group lie above all of the other."""
    scores = range(first + second)
    far = abs(sum(scores[:first]) / first - sum(scores[first:]) / second)
    ways = list(itertools.combinations(scores, first))
    found = [abs(sum(way) / first - (sum(scores) - sum(way)) / second) for way in ways]
    return len(ways), sum(one >= far - 1e-9 for one in found) / len(ways)


@computed("16.3")
def _():
    (four, p), (three, other) = p_of_extremes(4, 4), p_of_extremes(3, 4)
    return f"{four} ways", f"{p:.3f}", f"{three} ways", f"{other:.3f}"


@computed("16.4")
def _():
    rng = random.Random(0)
    best = [sum(max(rng.gauss(0, spread) for _ in range(10)) for _ in range(500))
            for spread in (1, 2)]
    assert best[1] > 1.5 * best[0]
    return ()


@computed("17.1")
def _():
    sums = {"AC": 0.6 * 0.5, "AD": 0.6 * 0.5, "BE": 0.4 * 0.9, "BF": 0.4 * 0.1}
    assert max(sums, key=sums.get) == "BE"
    return f"p = {sums['AC']:.2f}", f"p = {sums['BE']:.2f}"


@computed("17.2")
def _():
    pairs = (-2.0, 2), (-3.0, 4)
    return (*[f"{log / length:.2f}" for log, length in pairs],
            *[f"{normalised(log, length, 1.0):.2f}" for log, length in pairs])


@computed("17.4")
def _():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log() / 0.5
    cut = softmax(keep_top_k(logits, 2))[:2]
    return *places(softmax(logits).tolist()), *places(cut.tolist())


@computed("17.5")
def _():
    logits = torch.tensor([0.4, 0.3, 0.2, 0.1]).log()
    kept = [keep_top_p(some, 0.8).isfinite().sum().item()
            for some in (logits, logits / 0.5)]
    return f"{kept[0]} words stay", f"{kept[1]} words reach"


@computed("18.1")
def _():
    cache = DecoderCache([(torch.zeros(1, 1, 0, 2),) * 2], None, [
        (torch.eye(2)[None, None], torch.tensor([[10.0], [20.0]])[None, None])])
    key, value = cache.append(0, torch.ones(1, 1, 1, 2), torch.full((1, 1, 1, 1), 60.0))
    found, _ = attention(torch.zeros(1, 1, 1, 2), key, value)
    return (f"= {found.item():.0f}.",)


@computed("18.2")
def _():
    allowed = causal_mask(5)[3:]
    assert allowed.sum(dim=1).tolist() == [4, 5]
    return (f"{allowed.sum().item()} of {allowed.numel()} are True",)


@computed("18.3")
def _():
    torch.manual_seed(0)
    query, key = torch.randn(2, 4, 6).double().unbind()
    p = torch.arange(4).double()
    torch.testing.assert_close(rotate(query, p) @ rotate(key, p).T,
                               rotate(query, p - 1) @ rotate(key, p - 1).T)
    assert not torch.allclose(sinusoids(p, 6), sinusoids(p - 1, 6))
    return ()


@computed("18.4")
def _():
    kept = 2 * 6 * 1000 * 512
    return f"= {kept:,}.", f"{kept * 2 // 8:,}"


@computed("18.5")
def _():
    again = sum(range(1, 101))
    return f"{again:,} rows against 100", f"{again / 100:g} times"


def merged(pieces, pair):
    """The pieces of a word, with each such pair of neighbours as one piece."""
    text = f" {' '.join(pieces)} "
    return tuple(text.replace(f" {' '.join(pair)} ", f" {''.join(pair)} ").split())


@computed("19.1")
def _():
    words, told = {tuple("the"): 5, tuple("hat"): 4, tuple("that"): 3,
                   tuple("hut"): 2}, []

    def stand(*pair):
        return sum(count for pieces, count in words.items()
                   for two in zip(pieces, pieces[1:]) if two == pair)

    beside = [stand("h", "a")]
    for _ in range(3):
        pairs = {two for pieces in words for two in zip(pieces, pieces[1:])}
        best = max(sorted(pairs), key=lambda pair: stand(*pair))
        assert [stand(*pair) for pair in pairs].count(stand(*best)) == 1
        told.append(f"{' '.join(best)} with {{}}{stand(*best)}")
        words = {merged(pieces, best): count for pieces, count in words.items()}
        beside.append(stand("h", "a"))
    sums = "3 + 5 = ", "4 + 3 = ", ""
    return (*[one.format(total) for one, total in zip(told, sums)],
            f"{beside[0]} times. After it they do so {beside[1]} times")


@computed("19.2")
def _():
    merges, pieces = [("t", "h"), ("a", "t"), ("th", "e")], tuple("hath")
    for pair in merges:
        pieces = merged(pieces, pair)
    known, longest, left = {*"hate", *map("".join, merges)}, [], "hath"
    while left:
        longest.append(max((one for one in known if left.startswith(one)), key=len))
        left = left.removeprefix(longest[-1])
    return f"give {', '.join(pieces)}:", f"are {', '.join(longest)}."


@computed("19.3")
def _():
    training = [("Go.", "Va !"), ("Go.", "Marche."), ("Leave.", "Pars !")]
    test = [("Move.", "Va !"), ("Stop.", "Arrête !")]
    assert leak(training, test) == 0
    share = leak(*[[pair[::-1] for pair in pairs] for pairs in (training, test)])
    return (f"{share * len(test):g} of {len(test)} test sentences",)


@computed("19.4")
def _():
    words, gradients = (2, 6), (5, 1)
    right = sum(n * one for n, one in zip(words, gradients)) / sum(words)
    found = sum(n / sum(words) * one for n, one in zip(words, gradients)) / 2

    def trained(factor):
        weights = nn.Parameter(torch.arange(4.0))
        optimizer = torch.optim.Adam([weights], lr=0.1)
        for _ in range(20):
            optimizer.zero_grad()
            (factor * (weights - 5).square().sum()).backward()
            optimizer.step()
        return weights.detach()

    torch.testing.assert_close(trained(1.0), trained(0.5))
    return f"= {found:g}.", f"is {right:g},"


@computed("19.5")
def _():
    parts = make_batch([([5, 6], [7, 8])] * 128).parts(4)
    [rows] = {len(part.source) for part in parts}
    return f"its {rows} rows", f"see {4 * 128} pairs"


@computed("20.1")
def _():
    answers, row = torch.tensor([2.0, -1, 4]), torch.tensor([1, 3, 0.5])
    silence = torch.tensor([1.0, 0, 1])
    first, _, third = (answers * row).tolist()
    return (f"= {answers @ row:g}, without the second {(silence * answers) @ row:g}.",
            f"{first:g} and {third:g} are still added")


@computed("20.2")
def _():
    links, hit = [(3, 2), (5, 4), (6, 4), (2, 4)], [(5, 4), (6, 4)]
    offsets = [key - query for query, key in links]
    [(best, count)] = Counter(offsets).most_common(1)
    *front, last = offsets
    return (f"The head hits {len(hit)} of {len(links)}.",
            f"are {', '.join(map(str, front))} and {last},",
            f"one, {best}, hits {count} of {len(links)}",
            f"hits {len([one for one in hit if one[1] - one[0] != best])} link"
            .replace("1 link", "one link"))


@computed("20.3")
def _():
    chance = torch.Generator().manual_seed(0)
    coins = torch.rand(500, 144, 50, generator=chance) < 0.5
    best = coins.double().mean(dim=2).max(dim=1).values.mean()
    return f"about {100 * best:.0f} %", "It is (b)"


@computed("20.5")
def _():
    ids = torch.tensor([[7, 2, 9, 7, 4, 9, 7]])
    weights = torch.zeros(1, 2, 7, 7)
    weights[0, 0, 6, [1, 4, 3, 6]] = torch.tensor([0.3, 0.4, 0.2, 0.1])
    weights[0, 1, 6, [0, 3]] = 0.5
    earlier = (ids[:, :, None] == ids[:, None, :]).tril(-1)
    found = (weights[..., 1:] * earlier[:, None, :, :-1]).sum(dim=-1)[0, :, 6]
    assert earlier[0, 6].nonzero().flatten().tolist() == [0, 3]
    return f".3 + .4 = {found[0]:.1f}".replace(" 0.", " ."), f"earns {found[1]:g}."


@computed("21.1")
def _():
    chosen = 2000 * 15 // 100
    return (f"{chosen} words are chosen", f"Of these {chosen * 8 // 10} become",
            f"{chosen // 10} are exchanged and {chosen // 10} stay", f"all {chosen}.")


@computed("21.3")
def _():
    shares = torch.tensor([1 / 2, 1 / 32, 1]).double()
    ends, without = (-part.log().mean() for part in (shares, shares[:2]))
    return (f"= {1 / shares.prod():.0f}, so {ends.exp():.0f}.",
            f"of 64, so {without.exp():.0f}.")


@computed("21.4")
def _():
    [ids], [segments], [positions] = pack([[5, 6, 7], [8, 9], [4]], 8)
    allowed = block_mask(segments[None])
    assert (ids == 0).sum() == 2
    return (f"Positions {', '.join(map(str, positions.tolist()))}:",
            f"= {allowed.sum()} entries")


@computed("22.1")
def _():
    def kept(kv_heads):
        return 2 * 24 * kv_heads * 64 * 2

    return (f"= {kept(4):,} bytes a word, so {1000 * kept(4):,} for 1,000",
            f"as much: {1000 * kept(16):,}.")


@computed("22.2")
def _():
    heads = torch.arange(2).view(1, 2, 1, 1)
    given = heads.repeat(1, 3, 1, 1).flatten().tolist()
    wanted = heads.repeat_interleave(3, dim=1).flatten().tolist()
    right = [count for count in (1, 2, 3, 6) if torch.equal(
        torch.arange(count).repeat(6 // count),
        torch.arange(count).repeat_interleave(6 // count))]
    assert right == [1, 6]
    return (f"gets key head {given[1]}, and should get key head {wanted[1]}",
            ", ".join(str(head) for head in range(2)) + " and 2 are the first")


@computed("22.3")
def _():
    rows = torch.arange(6)
    return (", ".join(f"r{row}" for row in [*rows[0::2], *rows[1::2]]) + ".",)


@computed("22.4")
def _():
    real = torch.tensor([False, False, True, True, True])
    positions = (real.cumsum(0) - 1).clamp(min=0).tolist()
    looks = [place for place in range(4) if real[place]]
    return (f"Positions {', '.join(map(str, positions))}.",
            f"stands at place 3, and looks at places {looks[0]} and {looks[1]}")


@computed("23.1")
def _():
    key, value = torch.tensor([[1, 0], [0.6, 0.8]]), torch.tensor([[10.0], [5.0]])
    first, second = read(write(empty(key, value), key, value), key).flatten().tolist()
    return (f"10 + 0.6 · 5 = {first:g}", f"5 + 0.6 · 10 = {second:g}.")


@computed("23.3")
def _():
    key, half = torch.ones(3, 1), torch.full((3, 1), 0.5)
    answers, _ = gated_delta_rule(key, key, 8 * key, half, torch.ones(3, 1))
    return ("It answers {:g}, {:g} and {:g}:".format(*answers.flatten().tolist()),)


@computed("23.4")
def _():
    key, value, one = (torch.tensor([[1, 0], [0.6, 0.8]]),
                       torch.tensor([[10.0], [5.0]]), torch.ones(2, 1))
    found = [read(gated_delta_rule(*(part[order] for part in (key, key, value)), one,
                                   one)[1], key).flatten().tolist()
             for order in ([0, 1], [1, 0])]
    return ("answers {:g} for the first key and {:g} for the second".format(*found[0]),
            "{:g} for the first key and {:g} for the second.".format(*found[1]))


@computed("23.5")
def _():
    query, key, value = torch.randn(3, 4, 3)
    right, _ = linear_attention(query, key, value)
    memory, answers = empty(key, value), []
    for q, k, v in zip(*(part.split(1) for part in (query, key, value))):
        memory = memory + k.T @ v
        answers.append((q @ k.T).tril() @ v + q @ memory)
    own = (query * key).sum(-1, keepdim=True) * value
    torch.testing.assert_close(torch.cat(answers), right + own)
    return ("finds its own pair twice",)


def test_each_chapter_has_five_questions_of_its_objectives_and_mixed_kinds(book):
    asked = re.findall(r"^\*\*Q(\d\d)\.(\d)\*\* · objective (\d) · (.*)$", page(),
                       re.MULTILINE)
    assert [f"{chapter}.{number}" for chapter, number, _, _ in asked] == [
        f"{chapter}.{number}" for chapter in lengths.ALL for number in range(1, 6)]
    for chapter in lengths.ALL:
        own = [row for row in asked if row[0] == chapter]
        assert {int(row[2]) for row in own} <= set(
            range(1, 1 + len(objectives(book, chapter))))
        assert {row[3] for row in own} <= KINDS
        assert len({row[3] for row in own}) >= 3, chapter
        assert all(answer(f"{chapter}.{number}") for number in range(1, 6))


@pytest.mark.parametrize("question", sorted(COMPUTED))
def test_an_answer_holds_what_is_computed(question):
    told = answer(question)
    for piece in COMPUTED[question]():
        assert piece in told, (question, piece)


def test_an_answer_with_a_decimal_number_is_computed():
    """What is not computed may not tell a result."""
    for chapter, number in itertools.product(lengths.ALL, range(1, 6)):
        name = f"{chapter}.{number}"
        told = re.sub(r"`[^`]*`|\(\.\d.*?\)", "", answer(name))
        if re.search(r"\d\.\d\d", told):
            assert name in COMPUTED, name


# The page for teachers


def objectives(book, chapter):
    """The objectives of a chapter, as its promise says them, without links."""
    [name] = [name for name in book.notebooks if name.startswith(chapter)]
    [promise] = [cell.source for cell in book.notebooks[name].cells
                 if cell.get("id") == "promise"]
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", promise)
    return re.findall(r"^\d\. (.*)$", plain, re.MULTILINE)


@functools.cache
def sheets():
    """The sheet of each chapter, by its number."""
    text = TEACHING.read_text(encoding="utf-8")
    parts = re.split(r"^### (\d\d) · .*$", text, flags=re.MULTILINE)
    parts[-1] = parts[-1].partition("\n(live-coding)=")[0]
    return dict(zip(parts[1::2], parts[2::2]))


@pytest.mark.parametrize("chapter", lengths.ALL)
def test_a_sheet_has_the_objectives_codes_and_cells_of_its_chapter(book, chapter):
    sheet = sheets()[chapter]
    told = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sheet)
    assert re.findall(r"^\d\. (.*)$", told, re.MULTILINE) == objectives(book, chapter)
    misconceptions, _, live = sheet.partition("**Live.**")
    codes = re.findall(r"`(\w+)` \((\d\d-\d)\)", misconceptions)
    assert len(codes) >= 3
    for code, exercise in codes:
        folder = ROOT / "tests/wrong_answers" / chapter
        assert exercise.startswith(chapter)
        assert (folder / f"{exercise}_{code}.py").exists(), (code, exercise)
    [name] = [name for name in book.notebooks if name.startswith(chapter)]
    cells = {cell.get("id"): cell for cell in book.notebooks[name].cells}
    shown = re.findall(r"`([a-z][a-z0-9-]+)`(?!\))", live)
    assert shown and set(shown) <= set(cells), shown
    headings = {heading for cell in cells.values() for heading in re.findall(
        r"^#+ (.*)$", cell.source, re.MULTILINE)}
    for section in re.findall(r"under \*(.*?)\*", live):
        assert section in headings, section


def test_the_weeks_hold_the_chapters_of_their_route_and_the_minutes_are_counted():
    text = TEACHING.read_text(encoding="utf-8")
    chapters = {path.name[:2]: files.read(path) for path in files.paths(ROOT)}
    read = {name: lengths.minutes(one) for name, one in chapters.items()}
    done = {name: lengths.exercise_minutes(one) for name, one in chapters.items()}
    for way, whole, only_read, _ in lengths.WAYS[3:]:
        [table] = re.findall(rf"<!-- weeks {way} -->\n(.*?)<!-- /weeks -->", text,
                             re.DOTALL)
        weeks = []
        for row in table.splitlines()[2:]:
            _, _, words, reading, exercises, _ = row.split("|")
            names = sorted(set(re.findall(r"\[\D*(\d\d)\]", words)))
            if " to " in words:
                names = [name for name in lengths.ALL if names[0] <= name <= names[-1]]
            assert int(reading) == sum(read[name] for name in names)
            minutes = sum(done[name] for name in names if name in whole)
            assert exercises.strip() == str(minutes or "none")
            weeks += names
        assert sorted(weeks) == sorted([*whole, *only_read]), way
    [table] = re.findall(r"<!-- minutes -->\n(.*?)<!-- /minutes -->", text, re.DOTALL)
    rows = re.findall(r"^\| \[chapter (\d\d)\]\S+ \| (\d+) \| (\d+) \|$", table,
                      re.MULTILINE)
    assert rows == [(name, str(read[name]), str(done[name])) for name in lengths.ALL]


# The scripts for coding live


def typed(chapter):
    """The blocks that a script says to type."""
    text = (LIVE / f"{chapter}.md").read_text(encoding="utf-8")
    minutes = text.partition("## Minute by minute")[2].partition("## End state")[0]
    return re.findall(r"^```python\n(.*?)^```$", minutes, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("chapter", ["02", "10", "14"])
def test_the_end_state_is_the_start_and_all_that_is_typed(chapter):
    start, end = ((LIVE / f"{chapter}_{name}.py").read_text(encoding="utf-8")
                  for name in ("start", "end"))
    left = end
    body = start.partition('"""\n')[2]
    assert body.strip() in (LIVE / f"{chapter}.md").read_text(encoding="utf-8")
    blocks = [body, *typed(chapter)]
    assert len(blocks) > 4
    for block in blocks:    # in this order
        assert block.strip() in left, block
        left = left.partition(block.strip())[2]
    assert "assert " in end


@pytest.mark.parametrize("chapter", ["02", "10", "14"])
@pytest.mark.parametrize("state", ["start", "end"])
def test_a_state_runs(tmp_path, chapter, state):
    file = LIVE / f"{chapter}_{state}.py"
    ended = subprocess.run([sys.executable, str(file)], cwd=tmp_path,
                           capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


def test_a_script_of_ten_minutes_counts_to_ten():
    for chapter in ("02", "10", "14"):
        text = (LIVE / f"{chapter}.md").read_text(encoding="utf-8")
        found = re.findall(r"^### Minutes? (\d+)(?: to (\d+))?", text, re.MULTILINE)
        ends = [int(last or first) for first, last in found]
        assert ends == sorted(ends) and ends[-1] == 10 and found[0][0] == "1"
        assert "**Ask the class.**" in text and "## Start state" in text
