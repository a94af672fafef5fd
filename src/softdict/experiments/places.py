"""Did a model learn places or distances? And can a word be read through its code?"""

from functools import partial

import torch
import torch.nn.functional as F

from softdict import runtime
from softdict.batches import make_batch
from softdict.experiments.endings import POSITIONS, mean, rows, start
from softdict.experiments.runner import Experiment, trained
from softdict.layers import sinusoids
from softdict.vocab import PAD

SHIFTS = (0, 1, 2, 4, 8, 12)
SHORT = range(4, 9)      # English words of the sentences that are shifted
CODED = (24, 48, 96, 192, 384, 512)


# Short sentences moved to other places

@torch.no_grad()
def shifted(model, pairs, places):
    """Share of labels that are right if sentences begin some places further on.

    as many pads stand in front, which no word attends to: all places are moved, and no
    distance
    """
    goods = []
    for begin in range(0, len(pairs), 100):
        batch = make_batch(pairs[begin:begin + 100]).to(
            next(model.parameters()).device)
        source = F.pad(batch.source, (places, 0), value=PAD)    # [B, S]
        x, allowed = model.embedded(source), (source != PAD)[:, None]
        for layer in model.layers:
            x = layer(x, allowed)
        best = model.generator(model.norm(x))[:, places:].argmax(dim=-1)    # [B, T]
        goods += [guess == label for line, (_, labels) in
                  zip(best.tolist(), pairs[begin:begin + 100])
                  for guess, label in zip(line, labels) if label]
    return mean(goods)


def shifts(state):
    """By shift: the share of right labels of short sentences of `iid`.

    The question: does a model that reads positions learn absolute places, or only
    distances? It has seen all of these codes, for it was trained on sentences of up to
    24 words, but never a sentence that begins at another place than 0. The measure is
    the share of right labels of sentences of 4 to 8 words, moved by 0 to 12 places. If
    distances were learned, it stays. The models are those of the group "part", whole,
    with another way of telling positions.
    """
    pairs = [pair for pair in rows("iid") if len(pair[1]) - 1 in SHORT]
    return {"shifts": SHIFTS, "sentences": len(pairs),
            "right": [shifted(state.model, pairs, places) for places in SHIFTS]}


# A sum of word and code

def read(seed, path=None, widths=CODED, places=64, words=1000):
    """By width: what of a sum of a word and a code can be read by products.

    The question: in x + code(p), does a product with a code notice the word? Words are
    random normal vectors, as embeddings begin; codes are the sinusoids of 64 places.
    The measures: the spread of word times code, over words and places; how much the
    product of a code with itself exceeds that with its neighbour; the share of sums
    whose largest product with a code is with their own; and the share whose largest
    product with a word (of 1,000) is with their own word.
    """
    runtime.seed(seed)
    table = {"widths": widths, "places": places, "words": words}
    columns = []
    for width in widths:
        word, code = torch.randn(words, width), sinusoids(torch.arange(places), width)
        own = (code * code).sum(dim=-1)                  # [P]
        neighbour = (code[1:] * code[:-1]).sum(dim=-1)
        sums = word[:, None] + code                      # each word at each place
        place_read = (sums @ code.T).argmax(dim=-1)      # [W, P]
        word_read = (sums @ word.T).argmax(dim=-1)       # [W, P]
        columns.append((
            (word @ code.T).std().item(), (own[1:] - neighbour).mean().item(),
            (place_read == torch.arange(places)).double().mean().item(),
            (word_read == torch.arange(words)[:, None]).double().mean().item()))
    names = "spread of the word", "lead of the own code", "place read", "word read"
    return table | dict(zip(names, zip(*columns)))


EXPERIMENTS = [
    *[trained(f"shifted-{kind}", "shifted",
              partial(start, peak_rate=4e-3, width=48, positional_encoding=kind),
              shifts)
      for kind in POSITIONS],
    Experiment("codes", "shifted",
               lambda seed: read(seed, widths=CODED[:5])["spread of the word"], read)]
