"""Language models and text: a folder that others can read, a training on any text, and
going on from a text.

    config.json          what Hugging Face's library transformers writes for GPT-2
    model.safetensors    or for Llama, under its names
    tokenizer.json       what cuts text, as the library tokenizers writes it
    history.jsonl        of a training here: a record an update
    curves.svg           a picture of them
"""

import codecs
import hashlib
import json
import math
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import safetensors
import safetensors.torch
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models
from tqdm import tqdm

from softdict import runtime
from softdict.checkpoint import load, save
from softdict.decoder_only import (
    LLAMA, Config, DecoderOnly, drawn, generate, likeliest)
from softdict.files import read_lines, write_whole
from softdict.folder import (
    CONFIG, CURVES, HISTORY, UNFINISHED, check_name, curves, is_number, short)
from softdict.own_text import plural
from softdict.pieces import BYTES, learn_pieces
from softdict.training import Settings, Training, take_step

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"

# Folders

# their name: ours, one above another in one tensor; {} is the number of a layer
NAMES = {
    "gpt2": {
        "transformer.wte": ["embedding"],
        "transformer.wpe": ["learned"],
        "transformer.h.{}.ln_1": ["layers.{}.norm1"],
        "transformer.h.{}.attn.c_attn": [
            "layers.{}.attention.query", "layers.{}.attention.key",
            "layers.{}.attention.value"],
        "transformer.h.{}.attn.c_proj": ["layers.{}.attention.out"],
        "transformer.h.{}.ln_2": ["layers.{}.norm2"],
        "transformer.h.{}.mlp.c_fc": ["layers.{}.feed_forward.widen"],
        "transformer.h.{}.mlp.c_proj": ["layers.{}.feed_forward.narrow"],
        "transformer.ln_f": ["norm"],
        "lm_head": ["generator"]},
    "llama": {
        "model.embed_tokens": ["embedding"],
        "model.layers.{}.input_layernorm": ["layers.{}.norm1"],
        "model.layers.{}.self_attn.q_proj": ["layers.{}.attention.query"],
        "model.layers.{}.self_attn.k_proj": ["layers.{}.attention.key"],
        "model.layers.{}.self_attn.v_proj": ["layers.{}.attention.value"],
        "model.layers.{}.self_attn.o_proj": ["layers.{}.attention.out"],
        "model.layers.{}.post_attention_layernorm": ["layers.{}.norm2"],
        "model.layers.{}.mlp.gate_proj": ["layers.{}.feed_forward.gate"],
        "model.layers.{}.mlp.up_proj": ["layers.{}.feed_forward.widen"],
        "model.layers.{}.mlp.down_proj": ["layers.{}.feed_forward.narrow"],
        "model.norm": ["norm"],
        "lm_head": ["generator"]}}
# GPT-2's matrices lie on their side: [in, out], where a Linear has [out, in]
TRANSPOSED = "c_attn.weight", "c_proj.weight", "c_fc.weight"
# buffers that older versions of the library wrote
BUFFERS = ".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"
SIZES = {
    "gpt2": {"vocabulary": "vocab_size", "width": "n_embd", "heads": "n_head",
             "key_heads": "n_head", "layers": "n_layer", "hidden": "n_inner",
             "longest": "n_positions", "eps": "layer_norm_epsilon"},
    "llama": {"vocabulary": "vocab_size", "width": "hidden_size",
              "heads": "num_attention_heads", "key_heads": "num_key_value_heads",
              "layers": "num_hidden_layers", "hidden": "intermediate_size",
              "longest": "max_position_embeddings", "eps": "rms_norm_eps"}}
MOST = {"layers": 1000, "vocabulary": 10 ** 7}    # else a million
# what else changes the calculation: the values that are ours, the usual one first
ONLY = {
    "gpt2": {"activation_function": ("gelu_new", "gelu_pytorch_tanh"),
             "scale_attn_weights": (True,), "add_cross_attention": (False,),
             "scale_attn_by_inverse_layer_idx": (False,)},
    "llama": {"hidden_act": ("silu", "swish"), "rope_scaling": (None,)}}
NEVER = "quantization_config", "sliding_window", "use_sliding_window"
ARCHITECTURES = {"gpt2": "GPT2LMHeadModel", "llama": "LlamaForCausalLM"}
PARTS = {
    "gpt2": {"positions": "learned", "norm": "layer", "feed_forward": "gelu",
             "bias": True},
    "llama": {"positions": "rotary", "pairing": "halves", "norm": "rms",
              "feed_forward": "swiglu"}}


def names(family, model):
    """For each tensor of the library's file, the names of ours that it holds."""
    ours = model.state_dict()
    return {f"{theirs}.{kind}".format(layer): [
                f"{part}.{kind}".format(layer) for part in parts]
            for theirs, parts in NAMES[family].items()
            for layer in range(model.config.layers) for kind in ("weight", "bias")
            if f"{parts[0]}.{kind}".format(layer) in ours
            and not (theirs == "lm_head" and model.config.tied)}


def to_library(family, model):
    """The weights of a model under the library's names."""
    ours = model.state_dict()
    tensors = {theirs: torch.cat([ours[part] for part in parts])
               for theirs, parts in names(family, model).items()}
    return {name: tensor.mT.contiguous() if name.endswith(TRANSPOSED) else tensor
            for name, tensor in tensors.items()}


def from_library(family, model, tensors):
    """The weights of a model from tensors under the library's names."""
    shapes, state = model.state_dict(), {}
    for theirs, parts in names(family, model).items():
        tensor = tensors[theirs]
        tensor = tensor.mT if theirs.endswith(TRANSPOSED) else tensor
        sizes = [len(shapes[part]) for part in parts]
        state |= {part: rows.contiguous()
                  for part, rows in zip(parts, tensor.split(sizes))}
    if model.config.tied:
        state["generator.weight"] = state["embedding.weight"]
    return state


def family_of(config):
    """The name of the library's family that calculates as this Config says."""
    for family, parts in PARTS.items():
        fits = all(getattr(config, name) == value for name, value in parts.items())
        if fits and (family != "gpt2" or config.key_heads == config.heads):
            return family
    raise ValueError("no model of the library transformers that is known here has "
                     "these parts: GPT-2's are learned positions, layer norm, GELU and "
                     "biases, Llama's rotary positions by halves, RMSNorm and SwiGLU")


def save_library(model, folder, ends=()):
    """Writes a model into a folder from which `from_pretrained` of the library
    transformers loads it; the config comes last, so a half one is none.

    raises ValueError for a mixture of parts that the library does not have
    """
    folder, config = Path(folder), model.config
    family = family_of(config)
    content = {
        "architectures": [ARCHITECTURES[family]], "model_type": family,
        "tie_word_embeddings": config.tied, "bos_token_id": None,
        "eos_token_id": list(ends) or None,
        "dtype": str(model.embedding.weight.dtype).removeprefix("torch."),
        **{name: values[0] for name, values in ONLY[family].items()},
        **{theirs: getattr(config, ours) for ours, theirs in SIZES[family].items()}}
    if family == "llama":
        content |= {"attention_bias": config.bias, "mlp_bias": config.bias,
                    "rope_theta": config.theta, "rope_parameters": {
                        "rope_type": "default", "rope_theta": config.theta}}
    else:
        content |= {"resid_pdrop": config.dropout, "embd_pdrop": config.dropout,
                    "attn_pdrop": 0.0}
    tensors = {name: tensor.detach().cpu().clone()
               for name, tensor in to_library(family, model).items()}
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / WEIGHTS, safetensors.torch.save(tensors, {"format": "pt"}))
    write_whole(folder / CONFIG, (json.dumps(content, indent=1) + "\n").encode())


def load_library(folder, dtype=torch.float32):
    """The model of a folder that `save_pretrained` wrote for GPT-2 or Llama, or that
    `save_library` did: ready to be used, in `dtype`.

    raises ValueError, with one sentence, for what does not fit
    """
    folder = Path(folder)
    check_name(folder)
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder; a model is a folder with {CONFIG} "
                         f"and {WEIGHTS}")
    for name in (CONFIG, WEIGHTS):
        if not (folder / name).is_file():
            raise ValueError(f"{folder} holds no language model: "
                             f"{absent(folder, name)}")
    try:
        family, config = read_config(folder / CONFIG)
        return read_weights(family, config, folder / WEIGHTS, dtype).eval()
    except ValueError as error:
        raise ValueError(f"the model in {folder} cannot be used: {error}") from None


def absent(folder, name):
    """Why a file is not there, in words."""
    if (folder / UNFINISHED).exists():
        return "its training is not finished, and the same command goes on with it"
    if name == WEIGHTS and (folder / f"{WEIGHTS}.index.json").exists():
        return (f"its weights lie in several files; save it again as one {WEIGHTS}, "
                "with a large max_shard_size")
    if name == WEIGHTS and (folder / "pytorch_model.bin").exists():
        return f"its weights are a pytorch_model.bin; save it again as {WEIGHTS}"
    return f"{name} is missing"


def read_json(path):
    """What a JSON file holds, a dict; ValueError, with one sentence, for another."""
    path = Path(path)
    try:
        if path.stat().st_size > 10 ** 6:
            raise ValueError
        content = json.loads("\n".join(read_lines(path)))
    except (ValueError, RecursionError):
        raise ValueError(f"{path.name} is damaged: it is no short JSON in UTF-8"
                         ) from None
    if not isinstance(content, dict):
        raise ValueError(f"{path.name} is damaged: it holds no names with values")
    return content


def read_config(path):
    """The family and the Config of the library's config.json; ValueError for what
    would be calculated otherwise here."""
    content = read_json(path)
    family = content.get("model_type")
    if "kind" in content and "format" in content:
        raise ValueError("it translates, and does not go on from a text; use translate")
    if not isinstance(family, str) or family not in ARCHITECTURES:
        raise ValueError(f"model_type is {short(family)}; known here are "
                         f"{' and '.join(ARCHITECTURES)}")
    wanted = [ARCHITECTURES[family]]
    if content.get("architectures", wanted) not in (wanted, None):
        raise ValueError(f"architectures is {short(content['architectures'])}, and not "
                         f"{wanted}")
    for name, values in ONLY[family].items():
        if content.get(name, values[0]) not in values:
            raise ValueError(f"{name} is {short(content[name])}; known here is "
                             f"{values[0]}")
    for name in NEVER:
        if content.get(name):
            raise ValueError(f"{name} is {short(content[name])}, which is not known "
                             "here")
    tied = content.get("tie_word_embeddings", family == "gpt2")
    if not isinstance(tied, bool):
        raise ValueError(f"tie_word_embeddings is {short(tied)}, not true or false")
    more = rotary_options(content) if family == "llama" else {}
    return family, Config(**PARTS[family] | sizes_of(family, content) | more
                          | {"tied": tied})


def sizes_of(family, content):
    """The sizes in the library's config, by our names."""
    usual = {"layer_norm_epsilon": 1e-5, "rms_norm_eps": 1e-6,
             "max_position_embeddings": 2048,
             "num_key_value_heads": content.get("num_attention_heads")}
    found = {}
    for ours, theirs in SIZES[family].items():
        value = content.get(theirs)
        if value is None:
            value = usual.get(theirs)
        if value is None and theirs == "n_inner":
            value = 4 * found["width"]
        least, most, kind = (0, 1, float) if ours == "eps" else (
            1, MOST.get(ours, 10 ** 6), int)
        if not is_number(value, kind, least, most):
            raise ValueError(f"{theirs} must be a number from {least} to {most}, not "
                             f"{short(value)}")
        found[ours] = value
    if content.get("head_dim") not in (None, found["width"] / found["heads"]):
        raise ValueError(f"head_dim is {short(content['head_dim'])}; known here are "
                         "heads that share the width, "
                         f"{found['width'] / found['heads']:g} numbers each")
    return found


def rotary_options(content):
    """Base and biases in the library's config of a Llama."""
    rope = content.get("rope_parameters") or {}
    if not isinstance(rope, dict) or not rope.keys() <= {"rope_type", "rope_theta"} \
            or rope.get("rope_type", "default") != "default":
        raise ValueError(f"rope_parameters is {short(rope)}: rotary positions that "
                         "are scaled are not known here")
    theta = rope.get("rope_theta", content.get("rope_theta", 10000.0))
    if not is_number(theta, float, 1, 10 ** 9):
        raise ValueError(f"rope_theta must be a number from 1 to 10^9, not "
                         f"{short(theta)}")
    biases = [content.get(name, False) for name in ("attention_bias", "mlp_bias")]
    if biases not in ([True, True], [False, False]):
        raise ValueError(f"attention_bias and mlp_bias are {short(biases)}; known here "
                         "are biases everywhere or nowhere")
    return {"theta": float(theta), "bias": biases[0]}


def read_weights(family, config, path, dtype):
    """The model of a Config with the weights of a file, whose names and shapes are
    compared before any memory is taken."""
    table = next(iter(NAMES[family])) + ".weight"
    start = table.split(".")[0] + "."
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            # a model that was saved without its generator has no start
            stored = {
                name if name.startswith((start, "lm_head.")) else start + name: name
                for name in file.keys() if not name.endswith(BUFFERS)}
            if config.layers > len(stored):
                raise ValueError(f"{path.name} holds {plural(len(stored), 'tensor')}, "
                                 f"too few for {config.layers} layers")
            with torch.device("meta"):
                model = DecoderOnly(config)
            head = "lm_head.weight" if config.tied else None
            compare(path.name, {name: list(tensor.shape) for name, tensor
                                in to_library(family, model).items()},
                    {name: file.get_slice(place).get_shape()
                     for name, place in stored.items() if name != head})
            tensors = {}
            for name, place in stored.items():
                kind = file.get_slice(place).get_dtype()
                if kind not in ("F64", "F32", "F16", "BF16"):
                    raise ValueError(f"{path.name} holds numbers of the kind {kind} in "
                                     f"{place}; known here are floats of 16 to 64 bits")
                tensors[name] = file.get_tensor(place).to(dtype)
                if not tensors[name].isfinite().all():
                    raise ValueError(f"{path.name} holds weights that are no numbers, "
                                     f"in {place}")
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path.name} is damaged or cut short ({short(str(error))})"
                         ) from None
    if head in tensors and not torch.equal(tensors[head], tensors[table]):
        raise ValueError(f"{CONFIG} says that lm_head is the embedding's table "
                         f"(tie_word_embeddings), and {path.name} holds another one")
    model.load_state_dict(from_library(family, model, tensors), assign=True)
    model.tie()
    return model


def compare(file, wanted, found):
    """Raises ValueError with the first name or shape that is not as wanted."""
    for name in [*wanted, *found]:
        if wanted.get(name) != found.get(name):
            raise ValueError(f"in {file} {short(name)} is {found.get(name, 'missing')};"
                             f" {CONFIG} tells of {wanted.get(name, 'none')}")


# Texts


BLOCK = 2 ** 22     # bytes that are read at once
SAMPLE = 2 ** 23    # bytes, at most, that pieces are learned from
CHARACTERS = 5000   # at most; what is rarer is written as bytes
NONE = -100         # where there is no next word; as in F.cross_entropy


def survey(path):
    """How often each character stands in a UTF-8 text of any size, where the text
    begins and ends in the file, and its digest.

    returns counts by code point, (first byte, last byte) and a short text
    raises ValueError, with one sentence, for what is no text
    """
    path, counts = Path(path), np.zeros(0x110000, dtype=np.int64)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is a folder or a device; a text file is needed")
    decoder, digest = codecs.getincrementaldecoder("utf-8")(), hashlib.sha256()
    line, begin, size = 1, 0, 0
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            if not size and block.startswith(codecs.BOM_UTF8):
                begin, block = 3, block[3:]
                size = 3
            try:
                text = decoder.decode(block)
            except UnicodeDecodeError as error:
                line += error.object[:error.start].count(b"\n")
                raise ValueError(f"{path.name}, line {line}: this is not UTF-8; save "
                                 "the file as UTF-8") from None
            if "\0" in text:
                line += text[:text.index("\0")].count("\n")
                raise ValueError(f"{path.name}, line {line}: a zero byte; this is no "
                                 "text")
            line += text.count("\n")
            size += len(block)
            digest.update(block)
            codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
            counts += np.bincount(codes, minlength=len(counts))
    if decoder.getstate()[0]:
        raise ValueError(f"{path.name}, line {line}: the text ends inside a character; "
                         "it is cut short, or not UTF-8")
    return counts, (begin, size), digest.hexdigest()[:16]


def characters(counts):
    """A tokenizer whose pieces are the characters that stand in a text twice or more;
    any other is written as its bytes."""
    common = np.argsort(-counts, kind="stable")[:CHARACTERS]
    pieces = [chr(code) for code in common if counts[code] > 1]
    tokenizer = Tokenizer(models.BPE(
        {piece: number for number, piece in enumerate([*pieces, *BYTES])}, [],
        byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def parts_of(path, begin, end):
    """Texts of at most 10,000 characters, from the whole file or from places evenly
    spread over it."""
    count = 64 if end - begin > SAMPLE else 1
    with open(path, "rb") as file:
        for number in range(count):
            start = begin + (end - begin) * number // count
            text = read(file, start, min(end, start + SAMPLE // count))
            yield from (text[at:at + 10_000] for at in range(0, len(text), 10_000))


def read(file, start, end):
    """The text between two bytes of a file; a character that is cut is left out."""
    file.seek(start)
    return file.read(end - start).decode("utf-8", "ignore")


def windows(file, tokenizer, starts, end, length):
    """Pieces of a text from each of the places, and the piece behind each of them.

    returns ids [B, T] and targets [B, T], where NONE has no piece
    """
    # a character has at most four bytes, a piece seldom more than eight
    texts = [read(file, start, min(end, start + 8 * (length + 1))) for start in starts]
    ids = torch.zeros(len(texts), length, dtype=torch.long)    # [B, T]
    targets = torch.full_like(ids, NONE)                       # [B, T]
    for row, cut in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        known = torch.tensor(cut.ids[:length + 1], dtype=torch.long)
        last = max(0, len(known) - 1)
        ids[row, :last], targets[row, :last] = known[:last], known[1:]
    return ids, targets


# Training


@dataclass(frozen=True)
class Preset:
    """Sizes and Settings of a training on text."""

    sizes: dict
    settings: Settings


PRESETS = {
    # one megabyte in some three minutes on two cores
    "small": Preset({"width": 128, "heads": 4, "key_heads": 2, "layers": 4,
                     "hidden": 352, "longest": 128},
                    Settings(updates=1000, batch_size=16, peak_rate=3e-3, warmup=50,
                             every=100)),
    "gpu": Preset({"width": 384, "heads": 6, "key_heads": 6, "layers": 6,
                   "hidden": 1024, "longest": 256, "dropout": 0.2},
                  Settings(updates=5000, batch_size=64, peak_rate=1e-3, warmup=100,
                           every=250, precision="bfloat16"))}
CHECKED = 64      # windows of the validation
SHOWN = 200       # pieces of a sample


def language_loss(model, ids, targets, precision="float32"):
    """Mean of -log p of each next piece: ids [B, T], targets [B, T].

    returns loss []
    """
    kind = getattr(torch, precision)
    with torch.autocast(ids.device.type, kind, enabled=kind != torch.float32):
        logits = model(ids)                                              # [B, T, V]
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(),
                           ignore_index=NONE)


def update(training, ids, targets):
    """One step against the gradient of a batch; returns loss, gradient norm, rate."""
    settings, total, words = training.settings, 0.0, (targets != NONE).sum()
    training.optimizer.zero_grad()
    for part, wanted in zip(ids.chunk(settings.accumulate),
                            targets.chunk(settings.accumulate)):
        share = (wanted != NONE).sum() / words
        loss = language_loss(training.model, part, wanted, settings.precision) * share
        training.scaler.scale(loss).backward()
        total += loss.item()
    return take_step(training, total)


@torch.no_grad()
def checked(model, ids, targets, tokenizer):
    """Validation loss a piece, and bits a character, which compares any pieces."""
    model.eval()
    device = model.embedding.weight.device
    losses = [language_loss(model, part.to(device), wanted.to(device)).item()
              * (wanted != NONE).sum().item()
              for part, wanted in zip(ids.split(16), targets.split(16))]
    model.train()
    real = targets != NONE
    letters = sum(len(tokenizer.decode(row[kept].tolist()))
                  for row, kept in zip(targets, real))
    return {"validation loss": sum(losses) / real.sum().item(),
            "bits a character": sum(losses) / math.log(2) / max(1, letters)}


def train_text(text, out, model="llama", pieces=None, preset="small", seed=0,
               sizes=None, say=partial(print, file=sys.stderr), **changes):
    """Trains a language model on a text file and keeps it in a folder.

    model is llama or gpt2, the parts; pieces the number of pieces of words, None for
    characters; sizes and changes are what differs from the preset: other heads have
    keys of their own, as long as key_heads does not say otherwise
    its last twentieth is for validation; say(sentence) is told how it goes
    an interrupted training goes on from its last checkpoint
    raises ValueError, with one sentence, for what is no text or does not fit
    """
    if model not in PARTS or preset not in PRESETS:
        raise ValueError(f"a language model is one of {', '.join(PARTS)}, with the "
                         f"sizes of {' or '.join(PRESETS)}; got {model!r}, {preset!r}")
    folder, chosen = Path(out), PRESETS[preset]
    check_folder(folder)
    settings = replace(chosen.settings, seed=seed, **changes)
    counts, (begin, size), digest = survey(text)
    edge = size - max((size - begin) // 20, 1)    # what stands behind it is validation
    tokenizer = (learn_pieces(parts_of(text, begin, edge), pieces).tokenizer if pieces
                 else characters(counts))
    runtime.seed(seed)
    sizes = sizes or {}
    if "heads" in sizes:
        sizes = {"key_heads": sizes["heads"]} | sizes
    config = sized(model, tokenizer.get_vocab_size(), chosen.sizes | sizes)
    if size - begin < 40 * config.longest:
        raise ValueError(f"{Path(text).name} has {size - begin} bytes: too few for "
                         f"windows of {config.longest} pieces; it takes "
                         f"{40 * config.longest} or more, or a smaller longest")
    state = Training(DecoderOnly(config).to(runtime.device()), settings, hashlib.sha256(
        (tokenizer.to_str() + digest).encode()).hexdigest()[:16])
    say(f"{plural(int(counts.sum()), 'character')} of text, "
        f"{config.vocabulary} different {'pieces' if pieces else 'ones, bytes too'}")
    folder.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=folder).close()    # refused now and not in an hour
    if (folder / UNFINISHED).exists():
        try:
            load(state, folder / UNFINISHED)
        except ValueError as error:
            raise ValueError(
                f"{folder} holds a training that this command cannot go on with: "
                f"{str(error).replace('another vocabulary', 'another text')}. Begin it "
                "as it was begun, or name a new folder") from None
    with open(text, "rb") as file:
        learn(state, file, (begin, edge, size), tokenizer, folder / UNFINISHED, say)
    lines = "".join(json.dumps(record) + "\n" for record in state.history)
    write_whole(folder / HISTORY, lines.encode("utf-8"))
    write_whole(folder / CURVES, curves(state.history))
    write_whole(folder / TOKENIZER, tokenizer.to_str(pretty=True).encode("utf-8"))
    save_library(state.model.eval(), folder)
    (folder / UNFINISHED).unlink(missing_ok=True)


def sized(model, vocabulary, sizes):
    """The Config of a language model of a family, tied, with these sizes."""
    parts = (LLAMA if model == "llama" else {"key_heads": sizes["heads"]}) | {
        "tied": True}
    return Config(vocabulary, **sizes | parts)


def learn(state, file, edges, tokenizer, path, say):
    """The updates that are left; now and then a checkpoint, and a sample is said."""
    settings, length = state.settings, state.model.config.longest
    begin, edge, end = edges
    places = torch.linspace(edge, max(edge, end - length), CHECKED).long().tolist()
    held = windows(file, tokenizer, places, end, length)
    bar = tqdm(total=settings.updates, initial=len(state.history), unit="update",
               desc=str(state.device), mininterval=1)
    state.model.train()
    with bar:
        while len(state.history) < settings.updates:
            # chance depends on seed and update alone: the same after an interruption
            runtime.seed(settings.seed * 1_000_003 + len(state.history))
            starts = torch.randint(begin, max(begin + 1, edge - length),
                                   (settings.batch_size,)).tolist()
            batch = windows(file, tokenizer, starts, edge, length)
            state.history.append(
                update(state, *(part.to(state.device) for part in batch)))
            done, last = len(state.history), state.history[-1]
            bar.update()
            bar.set_postfix(loss=f"{last['loss']:.3f}", refresh=False)
            if done % settings.every == 0 or done == settings.updates:
                last |= checked(state.model, *held, tokenizer)
                save(state, path)
                bar.clear()
                say(f"update {done}: validation loss {last['validation loss']:.3f}, "
                    f"{last['bits a character']:.3f} bits a character")
                say(sample(state.model, tokenizer, held[0][0, :8].tolist()))


def sample(model, tokenizer, ids):
    """What the model writes behind ids, with them: a text."""
    model.eval()
    rng = torch.Generator(model.embedding.weight.device).manual_seed(0)
    [new] = generate(model, [ids], SHOWN, partial(drawn, temperature=0.8, rng=rng))
    model.train()
    return tokenizer.decode([*ids, *new])


def check_folder(folder):
    """Refuses by ValueError a folder that is not new, empty or an unfinished
    training."""
    check_name(folder)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder; a model needs a folder of its own")
    names = {file.name for file in folder.iterdir()
             if not file.name.startswith(".") and not file.name.endswith(".part")
             } if folder.exists() else set()
    if {CONFIG, WEIGHTS} <= names:
        raise ValueError(f"{folder} holds a trained model already; name a new folder "
                         "with --out, or delete this one")
    if names and UNFINISHED not in names:
        raise ValueError(f"{folder} holds other files; a model needs a folder of its "
                         "own, a new one or an empty one")


# Writing


@dataclass(frozen=True)
class Writer:
    """A language model with what cuts its text, and the ids that end a text."""

    model: DecoderOnly
    tokenizer: Tokenizer
    ends: tuple

    def write(self, text, count=200, temperature=0.8, k=None, p=None, seed=None):
        """The text and what the model writes behind it, `count` pieces at most.

        temperature 0 takes the likeliest piece each time
        """
        ids = self.tokenizer.encode(text).ids
        if not ids:
            raise ValueError("the text is empty: there is nothing to go on from")
        if max(ids) >= self.model.config.vocabulary:
            raise ValueError(f"{TOKENIZER} makes a piece with the number {max(ids)}; "
                             f"the model knows {self.model.config.vocabulary}")
        device = self.model.embedding.weight.device
        rng = torch.Generator(device)
        rng.seed() if seed is None else rng.manual_seed(seed)
        choose = partial(drawn, temperature=temperature, k=k, p=p,
                         rng=rng) if temperature else likeliest
        [new] = generate(self.model, [ids], count, choose, self.ends)
        before, whole = (self.tokenizer.decode(row) for row in (ids, ids + new))
        return text + whole[len(before):]


def load_writer(folder, device=None):
    """The Writer of a folder: one that `train_text` made, or one of the library's with
    its tokenizer.json.

    raises ValueError, with one sentence, for a folder that holds none
    """
    folder = Path(folder)
    model = load_library(folder)
    if not (folder / TOKENIZER).is_file():
        raise ValueError(f"the model in {folder} cannot be used: {TOKENIZER}, which "
                         "cuts text for it, is missing")
    try:
        tokenizer = Tokenizer.from_str((folder / TOKENIZER).read_text("utf-8"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        known = max(tokenizer.get_vocab().values(), default=-1) + 1
    except OSError:
        raise
    except Exception as error:    # the library raises nothing narrower
        raise ValueError(f"the model in {folder} cannot be used: {TOKENIZER} is "
                         f"damaged ({short(str(error))})") from None
    if not 0 < known <= model.config.vocabulary:
        raise ValueError(f"the model in {folder} cannot be used: {TOKENIZER} has "
                         f"{known} pieces, and the model {model.config.vocabulary}")
    return Writer(model.to(device or "cpu"), tokenizer, ends_of(folder))


def ends_of(folder):
    """The ids that end a text, by the library's files."""
    for name in ("generation_config.json", CONFIG):
        if (folder / name).is_file():
            ends = read_json(folder / name).get("eos_token_id")
            ends = ends if isinstance(ends, list) else [ends]
            if ends := tuple(end for end in ends if is_number(end, int, 0, 10 ** 9)):
                return ends
    return ()
