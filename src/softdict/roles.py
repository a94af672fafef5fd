"""What a head looks at, scored against gold, and what it is for: silenced, weighed.

A head has a name: "encoder 2.3" is the third head of the encoder's second layer;
"decoder" is the decoder's self-attention, "cross" its cross-attention. A link is
(sentence, place of the query, place of the key). Source place 0 is the tag of the
register, target place 0 is BOS: row j of the decoder writes target word j, which then
stands at place j + 1.
"""

import re
from collections import Counter
from contextlib import contextmanager

import torch
import torch.nn.functional as F

from softdict.heads import MultiHeadAttention, attending
from softdict.scoring import (
    alignment_error_rate, heaviest_links, hits, masses, share)
from softdict.transformer import recorded_weights
from softdict.vocab import PAD

STACKS = ("encoder", "decoder", "cross", "layer")
HON = "hon"    # the honorific 시: it hangs on its verb, and is for the verb's subject


# Heads by name

def stack_and_layer(path):
    """The stack and the layer, from 1, of the attention at a path of a model."""
    before, layer = re.search(r"(\w*)\.?layers\.(\d+)", path).groups()
    stack = "cross" if "cross" in path else before or "layer"
    return stack, int(layer) + 1


def heads(model):
    """Every head of a model: its name, its attention, and its number there, from 0.

    returns a dict from name to (MultiHeadAttention, number), the heads of a stack
    together
    """
    parts = {stack_and_layer(path): part for path, part in model.named_modules()
             if isinstance(part, MultiHeadAttention)}
    return {f"{stack} {layer}.{number + 1}": (parts[stack, layer], number)
            for stack, layer in sorted(parts, key=lambda pair: STACKS.index(pair[0]))
            for number in range(parts[stack, layer].heads)}


@torch.no_grad()
def head_weights(model, *given):
    """Where every head looks while a model reads what is given.

    returns a dict from a stack to weights [B, N, T, S], its N heads as in `heads`
    """
    with recorded_weights(model) as kept:
        model(*given)
    found = {}
    for path, weights in kept.items():
        found.setdefault(stack_and_layer(path)[0], []).append(weights)
    return {stack: torch.cat(layers, dim=1) for stack, layers in found.items()}


# Gold: links that a head could follow

def relation_links(pairs, relation, up=True):
    """Links of one relation in the English trees: from each word to its head.

    with up=False from the head to the word
    """
    return [(b, n, token.head) if up else (b, token.head, n)
            for b, pair in enumerate(pairs) for n, token in enumerate(pair.source)
            if token.relation == relation and token.head >= 0]


def written_links(pairs, relation, up=True):
    """Links of one relation in the Korean trees, for the rows of a decoder.

    from the row that writes a word to its head, or to its dependant, if that has been
    written; "hon" is linked to the subject of its verb
    """
    links = []
    for b, pair in enumerate(pairs):
        for n, token in enumerate(pair.target):
            if token.relation != relation or token.head < 0:
                continue
            head = subject(pair.target, token.head) if relation == HON else token.head
            row, key = (n, head) if up else (head, n)
            if -1 < key < row:
                links.append((b, row, key + 1))
    return links


def subject(tokens, verb):
    """The place of the subject of the word at a place; -1 without one."""
    return next((n for n, token in enumerate(tokens)
                 if token.head == verb and token.relation == "nsubj"), -1)


def neighbour_links(lengths, offset):
    """Links from every place but 0 to the one at an offset; lengths are of places."""
    return [(b, n, n + offset) for b, length in enumerate(lengths)
            for n in range(1, length) if 0 < n + offset < length]


# Scores

def words_only(weights, itself=False):
    """The same weights with -1 where no head can earn anything: at place 0, and at the
    word itself.

    weights [..., T, S]; returns weights [..., T, S]; itself=True leaves the word in
    """
    weights = weights.clone()
    weights[..., 0] = -1
    if not itself:
        weights.diagonal(dim1=-2, dim2=-1).fill_(-1)
    return weights


def head_accuracy(weights, links):
    """Share of links whose key has the largest weight in the row of its query.

    weights [B, H, T, S]; returns shares [H], in float64 and so on the CPU
    raises ValueError without a link
    """
    if not links:
        raise ValueError("there is no link to hit")
    b, query, key = torch.tensor(links, device=weights.device).T
    largest = weights[b, :, query].argmax(dim=-1)                  # [L, H]
    return (largest == key[:, None]).cpu().double().mean(dim=0)    # [H]


def most_common_offset(links):
    """How far after its query the key stands most often: below 0 it is before it."""
    return Counter(key - query for _, query, key in links).most_common(1)[0][0]


def offset_accuracy(links, offset):
    """Share of links of a head that always looks at this offset: the baseline."""
    return sum(key - query == offset for _, query, key in links) / len(links)


def alignment(weights, pairs):
    """Error rate of a head's links to the source, and its hits and mass, in per cent.

    weights holds for each sentence the rows [T, S] of one head: row t writes target
    word t; give weights[:, 1:] to score the rows that read it. Hits and mass count sure
    links alone
    """
    rows, sure = list(weights), [pair.sure for pair in pairs]
    possible = [pair.possible for pair in pairs]
    drawn = [heaviest_links(row, links) for row, links in zip(rows, possible)]
    return {"error": alignment_error_rate(drawn, sure, possible, rounds=1).value,
            "hits": share(*zip(*hits(rows, sure)), rounds=1).value,
            "mass": share(*zip(*masses(rows, sure)), rounds=1).value}


# What a head is for

def gated(attend, gate):
    """A function like `attend`; each head's answer is multiplied by its gate.

    gate [..., H, 1, 1]; with B in front it has one for each sentence
    the context of attend is [B, H, T, K]
    """
    def attend_gated(query, key, value, allowed=None):
        context, weights = attend(query, key, value, allowed)
        return context * gate, weights

    return attend_gated


@contextmanager
def gates(model, chosen):
    """Inside, the attentions of a model have gates: `chosen` has one for each."""
    with attending({part: gated(part.attend, gate) for part, gate in chosen.items()}):
        yield


@contextmanager
def ablated(model, names):
    """Inside, these heads of a model answer with zeros; afterwards they speak again.

    raises ValueError for a head that the model does not have
    """
    known, chosen = heads(model), {}    # gates by attention
    for name in names:
        if name not in known:
            raise ValueError(f"the model has no head {name!r}; it has "
                             f"{', '.join(known)}")
        part, number = known[name]
        gate = chosen.setdefault(part, part.out.weight.new_ones(part.heads, 1, 1))
        gate[number] = 0
    with gates(model, chosen):
        yield model


@torch.no_grad()
def teacher_forced(model, batch):
    """How a model does when it is told the right words so far.

    returns the losses of words [B, T], 0 at pads, and whether each is the likeliest
    word [B, T], True at pads: a sentence that is right all along is what greedy
    translation gets right
    """
    logits = model(batch.source, batch.source_lengths, batch.target_in)    # [B, T, V]
    losses = F.cross_entropy(logits.transpose(1, 2), batch.target_out,
                             ignore_index=PAD, reduction="none")           # [B, T]
    right = logits.argmax(dim=-1) == batch.target_out                      # [B, T]
    return losses, right | (batch.target_out == PAD)


def importance(model, batch):
    """How much the loss of a sentence moves with each head's gate, a dict by name.

    the mean over sentences of |dL/dgate|, at a gate of 1; L is the sum over the words
    Michel et al. 2019, section 4.1
    """
    known = heads(model)
    chosen = {part: part.out.weight.new_ones(len(batch.source), part.heads, 1, 1)
              .requires_grad_() for part, _ in known.values()}
    with gates(model, chosen):
        logits = model(batch.source, batch.source_lengths, batch.target_in)
    loss = F.cross_entropy(logits.transpose(1, 2), batch.target_out,
                           ignore_index=PAD, reduction="sum")    # []
    slopes = dict(zip(chosen, torch.autograd.grad(loss, list(chosen.values()))))
    return {name: slopes[part][:, number].abs().mean().item()
            for name, (part, number) in known.items()}
