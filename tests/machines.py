"""Small layers and Transformers for tests, and torch's own with the same weights."""

import torch
from copied import renamed
from torch import nn

from softdict.masks import (
    additive_mask, causal_mask, causal_padding_mask, hidden_mask, padding_mask)
from softdict.transformer import DecoderLayer, TransformerConfig
from softdict.variants import (
    PostNormDecoderLayer, PostNormEncoderLayer, make_variant)
from softdict.vocab import PAD

B, T, S, H, K, D, HIDDEN = 2, 19, 7, 3, 4, 12, 20
SIZES = {"width": D, "heads": H, "layers": 2, "hidden": HIDDEN, "dropout": 0.0}


def make_layer(kind, dtype=torch.float64, seed=0, **sizes):
    """A layer whose biases and gains are random too.

    zeros and ones would hide one in the wrong place
    """
    torch.manual_seed(seed)
    layer = kind(TransformerConfig(**SIZES | sizes)).to(dtype)
    for name, part in layer.named_parameters():
        if part.dim() == 1:
            is_gain = "norm" in name and name.endswith("weight")
            nn.init.normal_(part, mean=float(is_gain), std=0.5)
    return layer


def twin(layer, dropout=0.0):
    """Torch's layer of the same kind and size."""
    up = layer.feed_forward.up
    kind = (nn.TransformerDecoderLayer if isinstance(layer, DecoderLayer)
            else nn.TransformerEncoderLayer)
    post = isinstance(layer, (PostNormEncoderLayer, PostNormDecoderLayer))
    return kind(up.in_features, layer.self_attention.heads, up.out_features, dropout,
                batch_first=True, norm_first=not post, dtype=up.weight.dtype)


RULES = {    # allowed for ours, and what torch is told instead
    "none": lambda lengths, size, dtype: (None, {}),
    "padding": lambda lengths, size, dtype: (
        padding_mask(lengths, size)[:, None, :],
        {"src_key_padding_mask": hidden_mask(padding_mask(lengths, size))}),
    "causal": lambda lengths, size, dtype: (
        causal_mask(size), {"src_mask": hidden_mask(causal_mask(size))}),
    "both": lambda lengths, size, dtype: (
        causal_padding_mask(lengths, size),
        {"src_mask": hidden_mask(causal_mask(size)),
         "src_key_padding_mask": hidden_mask(padding_mask(lengths, size))}),
    "both, added": lambda lengths, size, dtype: (
        causal_padding_mask(lengths, size),
        {"src_mask": additive_mask(causal_mask(size), dtype),
         "src_key_padding_mask": additive_mask(padding_mask(lengths, size), dtype)})}


def machine(seed=0, **options):
    """A Transformer for 20 and 30 words; options: sizes, and those of make_variant."""
    torch.manual_seed(seed)
    sizes = {name: options.pop(name) for name in TransformerConfig.__dataclass_fields__
             if name in options}
    return make_variant(20, 30, TransformerConfig(**SIZES | sizes), **options).double()


def pairs_of_ids():
    """Two sources of 4 and 7 words, pads behind, and two targets of 19."""
    source, lengths = torch.randint(4, 20, (B, S)), torch.tensor([4, 7])
    return (source.masked_fill(~padding_mask(lengths, S), PAD), lengths,
            torch.randint(4, 30, (B, T)))


def torchs_stacks(ours, norm_first):
    """nn.Transformer with the weights of our stacks, and the names of those weights."""
    theirs = nn.Transformer(D, H, 2, 2, HIDDEN, 0.0, batch_first=True,
                            norm_first=norm_first).double()
    if not norm_first:    # torch adds a last norm that the paper does not have
        theirs.encoder.norm = theirs.decoder.norm = None
    names = [name for name in ours.state_dict()
             if "embedding" not in name and "generator" not in name]
    theirs.load_state_dict(renamed({name: ours.state_dict()[name] for name in names}))
    return theirs, names


def agrees_with_torchs(ours, norm_first):
    """Asserts that values and all gradients equal those of nn.Transformer."""
    theirs, names = torchs_stacks(ours, norm_first)
    source, lengths, target = pairs_of_ids()
    hidden = hidden_mask(padding_mask(lengths, S))
    wanted = theirs(ours.encoder.embedding(source, torch.arange(S)),
                    ours.decoder.embedding(target, torch.arange(T)),
                    tgt_mask=hidden_mask(causal_mask(T)),
                    src_key_padding_mask=hidden, memory_key_padding_mask=hidden)
    found = ours.states(source, lengths, target)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    direction, parameters = torch.randn_like(found), dict(ours.named_parameters())
    tables = [f"{stack}.embedding.table.weight" for stack in ("encoder", "decoder")]
    mine = torch.autograd.grad((found * direction).sum(), [
        parameters[name] for name in [*names, *tables]])
    stacks = dict(theirs.named_parameters())
    their = torch.autograd.grad((wanted * direction).sum(), [
        *stacks.values(), *[parameters[name] for name in tables]])
    by_name = renamed(dict(zip(names, mine)))
    torch.testing.assert_close([by_name[name] for name in stacks],
                               list(their[:len(stacks)]), rtol=0, atol=1e-10)
    torch.testing.assert_close(mine[len(names):], their[len(stacks):],
                               rtol=0, atol=1e-10)


def knows_nothing_it_should_not(model):
    """Asserts that later words, pads and other sentences do not change the scores."""
    source, lengths, target = pairs_of_ids()
    logits = model(source, lengths, target)
    later = target.clone()
    later[:, 3] += 1
    moved = model(source, lengths, later)
    torch.testing.assert_close(moved[:, :3], logits[:, :3], rtol=0, atol=0)
    assert not torch.allclose(moved[:, 3], logits[:, 3])
    # whatever stands there, it is no word
    wider = torch.cat([source, torch.randint(4, 20, (B, 3))], dim=1)
    torch.testing.assert_close(model(wider, lengths, target), logits,
                               rtol=0, atol=1e-12)
    alone = model(source[:1, :4], lengths[:1], target[:1])
    torch.testing.assert_close(alone, logits[:1], rtol=0, atol=1e-12)
    # pads in front of a sentence do as well as pads behind it
    front = source.clone()
    front[0] = front[0].roll(3)
    assert (front[0, :3] == PAD).all()
    assert torch.equal(model(front, lengths, target), logits)


def follows(model, turns):
    """Asserts that the scores of steps are those of each translation by itself.

    turns: an order for each word; the numbers count among the rows there are
    """
    source, lengths, _ = pairs_of_ids()
    draws = torch.Generator().manual_seed(7)
    cache, rows = model.start(source, lengths), [(0, []), (1, [])]
    for turn in turns:
        chosen = torch.tensor([number % len(rows) for number in turn])
        cache = model.reorder(cache, chosen)
        rows = [rows[number] for number in chosen.tolist()]
        ids = torch.randint(4, 30, (len(rows),), generator=draws)
        rows = [(place, [*words, word])
                for (place, words), word in zip(rows, ids.tolist())]
        logits, cache = model.step(ids, cache)
        for (place, words), scores in zip(rows, logits, strict=True):
            only = slice(place, place + 1)
            alone = model(source[only], lengths[only], torch.tensor([words]))[0, -1]
            torch.testing.assert_close(scores, alone, rtol=0, atol=1e-12)
