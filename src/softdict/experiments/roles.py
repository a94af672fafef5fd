"""What the heads of the book's Transformer look at, and what each is for.

Heads are chosen on the first sentences of `valid`, and every number is measured on
those of `iid`. Shares are in per cent, losses in nats a word.
"""

import random

import torch

from softdict import corpus, roles
from softdict.batches import make_batch
from softdict.experiments import sentences
from softdict.experiments.baselines import links_by_place
from softdict.experiments.measures import agreement
from softdict.experiments.runner import Experiment, rounded, trained
from softdict.experiments.translation import SYSTEMS
from softdict.saving.recipes import vocabs
from softdict.vocab import PAD

SEEDS = range(5)
COUNT = 600      # sentences of each split
FEWEST = 100     # links on `valid` of a relation that is scored
HARMLESS = 8     # heads that are silenced together
ORDERS = 3       # random orders in which heads are silenced
DIGITS = 4       # of each number that is kept
OFFSETS = {"encoder": (-1, 1), "decoder": (-1, 0)}    # 0: the word that was read last
SYSTEM = SYSTEMS["transformers"]["transformer"]


def pairs_of(split):
    return corpus.split(split)[:COUNT]


def batch_of(pairs, model):
    """Sentence pairs as one batch, where the model is."""
    english, korean = vocabs()
    return make_batch([
        (english.ids(pair.words, "UNK"), korean.ids(pair.morphemes, "UNK"))
        for pair in pairs]).to(next(model.parameters()).device)


def names_of(model, stack):
    return [name for name in roles.heads(model) if name.startswith(stack)]


# What heads look at

def kind(pair, token):
    """What a Korean word is: its relation, if it carries meaning, else its role."""
    if token.role in ("head", "part"):
        return token.relation
    if token.role == "case":    # of a subject, of an object, ...
        return f"case {pair.target[token.head].relation}"
    return token.role


def gold_links(pairs):
    """Links that heads are scored by, in a dict: "encoder obj up", "cross neg".

    "up" is from a word to its head, "down" from the head; the decoder's rows are those
    that write a word; across, a Korean word has any of its possible links
    """
    links = {}
    for way in ("up", "down"):
        for relation in sorted({t.relation for p in pairs for t in p.source[1:]}):
            links[f"encoder {relation} {way}"] = roles.relation_links(
                pairs, relation, way == "up")
        for relation in sorted({t.relation for p in pairs for t in p.target}):
            links[f"decoder {relation} {way}"] = roles.written_links(
                pairs, relation, way == "up")
    for b, pair in enumerate(pairs):
        for i, j in pair.possible:
            name = f"cross {kind(pair, pair.target[j])}"
            links.setdefault(name, []).append((b, j, i))
    return links


def shown(weights):
    """The weights of each stack without what earns nothing: the tag, or BOS, and in the
    encoder the word itself."""
    return {"encoder": roles.words_only(weights["encoder"]),
            "decoder": roles.words_only(weights["decoder"], itself=True),
            "cross": weights["cross"]}


def rows(name, links):
    """How many rows there are to hit: across, a row may have several links."""
    return len({(b, row) for b, row, _ in links}) if name[0] == "c" else len(links)


def relations(model, weights, links):
    """For each relation the head that is best on `valid`, the commonest offset there,
    and what both hit on `iid`."""
    table = {}
    for name, chosen in links["valid"].items():
        if rows(name, chosen) < FEWEST:
            continue
        stack, new = name.split()[0], links["iid"][name]
        valid, iid = (
            100 * roles.head_accuracy(weights[split][stack], known) * len(known)
            / rows(name, known) for split, known in (("valid", chosen), ("iid", new)))
        best, offset = int(valid.argmax()), roles.most_common_offset(chosen)
        table[name] = {
            "rows": rows(name, new), "head": names_of(model, stack)[best],
            "valid": valid[best].item(), "iid": iid[best].item(), "offset": offset,
            "offset iid": (100 * roles.offset_accuracy(new, offset) * len(new)
                           / rows(name, new)),
            "heads": iid.tolist()}
    return table


def positions(weights, pairs):
    """Share of the rows that have their largest weight at an offset, for each head."""
    table = {}
    for stack, offsets in OFFSETS.items():
        lengths = [len(pair.source) if stack == "encoder" else len(pair.target) + 1
                   for pair in pairs]
        for offset in offsets:
            links = roles.neighbour_links(lengths, offset)
            table[f"{stack} {offset}"] = (
                100 * roles.head_accuracy(weights[stack], links)).tolist()
    return table


def lookers(weights, pairs):
    """The mean largest weight of every head, and its mean weight on place 0."""
    table = {"confidence": [], "first": []}
    for stack in ("encoder", "decoder", "cross"):
        sizes = [len(pair.source) if stack == "encoder" else len(pair.target)
                 for pair in pairs]
        real = torch.cat([weights[stack][b, :, :size]
                          for b, size in enumerate(sizes)], dim=1)
        table["confidence"] += (100 * real.max(dim=-1)[0].mean(dim=-1)).tolist()
        table["first"] += (100 * real[..., 0].mean(dim=-1)).tolist()
    return table


def alignments(model, weights, pairs):
    """How well the weights of each cross head agree with the gold links, and which head
    has most hits on `valid`.

    by the rows that write a word, and by those that read it, one further down
    """
    heads = names_of(model, "cross")
    valid = [roles.alignment(weights["valid"]["cross"][:, n], pairs["valid"])["hits"]
             for n in range(len(heads))]
    table = {name: {"writing": roles.alignment(maps, pairs["iid"]),
                    "reading": roles.alignment(maps[:, 1:], pairs["iid"])}
             for name, maps in zip(heads, weights["iid"]["cross"].unbind(1))}
    return {"head": heads[valid.index(max(valid))], "heads": table}


def looks(model):
    """What every head of a model looks at, and the links by which that was said."""
    pairs = {split: pairs_of(split) for split in ("valid", "iid")}
    weights = {}
    for split, known in pairs.items():
        batch = batch_of(known, model)
        maps = roles.head_weights(model, batch.source, batch.source_lengths,
                                  batch.target_in)
        weights[split] = {stack: part.cpu() for stack, part in maps.items()}
    links = {split: gold_links(known) for split, known in pairs.items()}
    return {"names": list(roles.heads(model)),
            "relations": relations(model, {split: shown(maps) for split, maps
                                           in weights.items()}, links),
            "positions": positions(weights["iid"], pairs["iid"]),
            **lookers(weights["iid"], pairs["iid"]),
            "alignment": alignments(model, weights, pairs)}


# What heads are for

def judged(model, batch, silent=()):
    """Mean loss of a word, and exact translations, with some heads silent."""
    with roles.ablated(model, silent):
        losses, right = roles.teacher_forced(model, batch)
    words = (batch.target_out != PAD).sum()
    exact = right.all(dim=1).cpu().double().mean()
    return [(losses.sum() / words).item(), 100 * exact.item()]


def own_words(name, links, pairs, shape):
    """True for the Korean words [B, T] that a relation is about.

    those that the rows write; for an English relation, those that translate a word
    whose row has a link
    """
    own = torch.zeros(shape, dtype=torch.bool)
    asking = {(b, row) for b, row, _ in links}
    if name.startswith("encoder"):
        asking = {(b, j) for b, pair in enumerate(pairs) for i, j in pair.possible
                  if (b, i) in asking}
    for b, j in asking:
        own[b, j] = True
    return own


def alone(model, table, batch):
    """What it costs to silence each head alone: each relation's own words, which join
    its row of the table; each kind of word; and the right honorific between twins."""
    pairs, names = pairs_of("iid"), list(roles.heads(model))
    whole, _ = roles.teacher_forced(model, batch)
    real, costs, honoured = (batch.target_out != PAD).cpu(), {}, []
    for name in names:
        with roles.ablated(model, [name]):
            costs[name] = (roles.teacher_forced(model, batch)[0] - whole).cpu()
            honoured.append(agreement(SYSTEM, model)[0])
    links = gold_links(pairs)
    for name, row in table.items():
        own = own_words(name, links[name], pairs, real.shape)
        row["own words"] = own.sum().item()
        row["own"] = [costs[head][own].mean().item()
                      for head in names_of(model, name.split()[0])]
    kinds = {}
    for b, pair in enumerate(pairs):
        for j, token in enumerate(pair.target):
            kinds.setdefault(kind(pair, token), []).append((b, j))
    kinds = {name: tuple(zip(*places)) for name, places in kinds.items()
             if len(places) >= FEWEST}
    return {"all words": real.sum().item(), "kinds": list(kinds),
            "words": {name: [cost[places].mean().item() for places in kinds.values()]
                      for name, cost in costs.items()},
            "agreement": honoured}


def finish(state):
    """Everything that is measured of the heads of a trained model."""
    model = state.model
    valid, iid = (batch_of(pairs_of(split), model) for split in ("valid", "iid"))
    table, names = looks(model), list(roles.heads(model))
    whole = {"valid": judged(model, valid), "iid": judged(model, iid)}
    silent = {"valid": [judged(model, valid, [name]) for name in names],
              "iid": [judged(model, iid, [name]) for name in names]}
    weight = roles.importance(model, valid)
    order = [name for _, name in sorted(zip(silent["valid"], names))]
    few = order[:HARMLESS]
    orders = {"alone": [order],
              "importance": [sorted(names, key=weight.get)],
              "random": [random.Random(seed).sample(names, len(names))
                         for seed in range(ORDERS)]}
    return rounded({
        **table, "whole": whole, "silent": silent,
        **alone(model, table["relations"], iid),
        "harmless": {"heads": few,
                     "sum": sum(silent["iid"][names.index(name)][0] - whole["iid"][0]
                                for name in few),
                     "together": judged(model, iid, few)[0] - whole["iid"][0],
                     "exact": judged(model, iid, few)[1]},
        "importance": list(weight.values()),
        "pruned": {name: [[judged(model, iid, line[:count])
                           for count in range(len(names) + 1)] for line in lines]
                   for name, lines in orders.items()},
        "orders": orders,
        "kept": {name: {split: judged(model, batch, [
            other for other in names
            if other != name and other.split(".")[0] == name.split(".")[0]])
            for split, batch in (("valid", valid), ("iid", iid))} for name in names}},
        DIGITS)


# Baselines

def untrained(seed, path=None):
    """What the heads of a model look at that has learned nothing."""
    return rounded(looks(SYSTEM.start(seed)[0].model.eval()), DIGITS)


def untrained_first(seed):
    """The first weights of five heads."""
    model = SYSTEM.start(seed)[0].model.eval()
    batch = batch_of(pairs_of("iid")[:1], model)
    maps = roles.head_weights(model, batch.source, batch.source_lengths,
                              batch.target_in)
    return maps["encoder"][0, :5, 1, 1].tolist()


def by_place(seed, path=None):
    """The alignment of links that are drawn from places and lengths alone."""
    drawn = links_by_place(sentences.split("iid")[:COUNT])
    return {"alignment": roles.alignment(drawn, pairs_of("iid"))}


def by_place_first(seed):
    """The error of five sentences, by places that 500 pairs have taught."""
    drawn = links_by_place(sentences.split("iid")[:5], 500)
    return [roles.alignment([rows], [pair])["error"]
            for rows, pair in zip(drawn, pairs_of("iid"))]


def best_offset(links):
    """The offset that hits most of the links, and how many of them: no head is asked.
    """
    offset = roles.most_common_offset(links)
    return offset, round(roles.offset_accuracy(links, offset) * len(links))


def offsets(seed, path=None):
    """The best offset as the rival of every role, chosen on `valid` and on `iid`.

    The question: what is left of a head's lead over an offset if the offset, too, is
    the best for the sentences that report it? The measure, for each relation: of 100
    rows of `iid`, those that the best offset of `valid` hits, and those that the best
    of `iid` hits. A head leads if it hits more than the second.
    """
    links = {split: gold_links(pairs_of(split)) for split in ("valid", "iid")}
    table = {}
    for name, chosen in links["valid"].items():
        if rows(name, chosen) < FEWEST:
            continue
        new = links["iid"][name]
        known = best_offset(chosen)[0]
        best, found = best_offset(new)
        table[name] = {
            "rows": rows(name, new), "valid offset": known, "iid offset": best,
            "valid": (100 * roles.offset_accuracy(new, known) * len(new)
                      / rows(name, new)),
            "iid": 100 * found / rows(name, new)}
    return rounded(table, DIGITS)


def offsets_first(seed):
    """How many links of five relations the best offset hits."""
    links = gold_links(pairs_of("iid")[:100])
    return [float(best_offset(links[name])[1]) for name in sorted(links)[:5]]


EXPERIMENTS = [
    Experiment("roles-offsets", "head-roles", offsets_first, offsets, seeds=(0,)),
    trained("roles", "head-roles", SYSTEM.start, finish, SEEDS),
    Experiment("roles-untrained", "head-roles", untrained_first, untrained),
    Experiment("roles-by-place", "head-roles", by_place_first, by_place, seeds=(0,))]
