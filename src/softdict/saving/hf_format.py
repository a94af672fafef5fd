"""Folders that Hugging Face's library transformers writes and reads, for GPT-2 and
Llama: the weights of a language model under the library's names.

    config.json          what the model is
    model.safetensors    its weights
"""

import json
from pathlib import Path

import safetensors
import torch
from torch import nn

from softdict.attention import attention, sdpa
from softdict.decoder_only import (
    DecoderOnly, DecoderOnlyConfig, GELUFeedForward, GroupedAttention, Layer, RMSNorm,
    SwiGLU)
from softdict.layers import Dropout, LayerNorm, attend_of
from softdict.saving.checkpoint import (
    CHECKSUM, architecture, check_checksum, described, packed)
from softdict.saving.folder import CONFIG, UNFINISHED, check_name, is_number
from softdict.texts.files import read_lines, write_whole
from softdict.texts.wording import plural, short

MODEL, TOKENIZER = "model.safetensors", "tokenizer.json"

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
        "transformer.h.{}.mlp.c_fc": ["layers.{}.feed_forward.up"],
        "transformer.h.{}.mlp.c_proj": ["layers.{}.feed_forward.down"],
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
        "model.layers.{}.mlp.up_proj": ["layers.{}.feed_forward.up"],
        "model.layers.{}.mlp.down_proj": ["layers.{}.feed_forward.down"],
        "model.norm": ["norm"],
        "lm_head": ["generator"]}}
# GPT-2's matrices lie on their side: [in, out], where a Linear has [out, in]
TRANSPOSED = "c_attn.weight", "c_proj.weight", "c_fc.weight"
# buffers that older versions of the library wrote
BUFFERS = ".attn.bias", ".attn.masked_bias", ".rotary_emb.inv_freq"
FIELDS = {
    "gpt2": {"vocab_size": "vocab_size", "width": "n_embd", "heads": "n_head",
             "kv_heads": "n_head", "layers": "n_layer", "hidden": "n_inner",
             "context_length": "n_positions", "eps": "layer_norm_epsilon"},
    "llama": {"vocab_size": "vocab_size", "width": "hidden_size",
              "heads": "num_attention_heads", "kv_heads": "num_key_value_heads",
              "layers": "num_hidden_layers", "hidden": "intermediate_size",
              "context_length": "max_position_embeddings", "eps": "rms_norm_eps"}}
MOST = {"layers": 1000, "vocab_size": 10 ** 7}    # else a million
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

# what the library calculates as we do
KNOWN = {DecoderOnly, Layer, GroupedAttention, LayerNorm, RMSNorm, GELUFeedForward,
         SwiGLU, Dropout, nn.Embedding, nn.Linear, nn.ModuleList}


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
    """The name of the library's family that calculates as this DecoderOnlyConfig says.

    raises ValueError where there is none
    """
    for family, parts in PARTS.items():
        fits = all(getattr(config, name) == value for name, value in parts.items())
        if fits and (family != "gpt2" or config.kv_heads == config.heads):
            return family
    raise ValueError("no model of the library transformers that is known here has "
                     "these parts: GPT-2's are learned positions, layer norm, GELU and "
                     "biases, Llama's rotary positions by halves, RMSNorm and SwiGLU")


def content_of(model, eos_ids=()):
    """Family and config.json of a model, as the library has them.

    raises ValueError, with one sentence, for a model that the library does not have:
    it would load another one without a word
    """
    config = model.config
    family = family_of(config)
    content = {
        "architectures": [ARCHITECTURES[family]], "model_type": family,
        "tie_word_embeddings": config.tied, "bos_token_id": None,
        "eos_token_id": list(eos_ids) or None,
        "dtype": str(model.embedding.weight.dtype).removeprefix("torch."),
        **{name: values[0] for name, values in ONLY[family].items()},
        **{theirs: getattr(config, ours) for ours, theirs in FIELDS[family].items()}}
    if family == "llama":
        content |= {"attention_bias": config.bias, "mlp_bias": config.bias,
                    "rope_theta": config.theta, "rope_parameters": {
                        "rope_type": "default", "rope_theta": config.theta}}
    else:
        content |= {"resid_pdrop": config.dropout, "embd_pdrop": config.dropout,
                    "attn_pdrop": 0.0}
    try:
        check_held(model, config_of(content)[1])
    except ValueError as error:
        raise ValueError("the format of the library transformers cannot hold this "
                         f"model: {error}") from None
    return family, content


def check_held(model, config):
    """Refuses by ValueError a model that is not what its config.json tells of.

    config is the DecoderOnlyConfig that is read from there
    """
    unused = {"dropout", "attend"}    # by who reads; attends are compared below
    if config.positions == "learned":
        unused |= {"pairing", "theta"}
    told = vars(config)
    for name, value in vars(model.config).items():
        if name not in unused and (name not in told or told[name] != value):
            raise ValueError(f"it has no place for {name}, which is {short(value)} in "
                             "the model's config")
    with torch.device("meta"):
        plain = DecoderOnly(config)
    mine, known = (dict(some.named_modules(remove_duplicate=False))
                   for some in (model, plain))
    for name in [*mine, *known]:
        kind, wanted = type(mine.get(name)), type(known.get(name))
        if kind is not wanted or kind not in KNOWN:
            raise ValueError(f"{name or 'the whole'} is a {kind.__name__} and no "
                             f"{wanted.__name__} of softdict as it was published")
        attend = attend_of(mine[name])
        if attend not in (None, attention, sdpa):
            raise ValueError(f"{name or 'the whole'} attends with "
                             f"{described(attend) or 'a function of another kind'}, "
                             "and the library with plain attention alone")
    ours, theirs = architecture(model), architecture(plain)
    for name in ours:
        if ours[name] != theirs[name]:
            raise ValueError(f"{name} is {ours[name]} where the config tells of "
                             f"{theirs[name]}")


def save_library(model, folder, eos_ids=()):
    """Writes a model into a folder from which `from_pretrained` of the library
    transformers loads it.

    the config is written last: a folder without it counts as no model

    raises ValueError for a model that the library does not have: see `content_of`
    """
    folder = Path(folder)
    family, content = content_of(model, eos_ids)
    tensors = {name: tensor.detach().cpu().clone()
               for name, tensor in to_library(family, model).items()}
    folder.mkdir(parents=True, exist_ok=True)
    # the library reads "format", and leaves the rest alone
    write_whole(folder / MODEL, *packed(tensors, {"format": "pt"}))
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
                         f"and {MODEL}")
    try:
        family, config = config_of(read_json(require_file(folder, CONFIG)))
        return read_weights(family, config, require_file(folder, MODEL), dtype).eval()
    except ValueError as error:
        raise ValueError(f"{folder} holds no language model that can be used: {error}"
                         ) from None


def require_file(folder, name):
    """The path of a file that is there; ValueError, with the reason, for another."""
    if (folder / name).is_file():
        return folder / name
    if (folder / UNFINISHED).exists():
        raise ValueError("its training is not finished, and the same command goes on "
                         "with it")
    if name == MODEL and (folder / f"{MODEL}.index.json").exists():
        raise ValueError("its weights lie in several files; save it again as one "
                         f"{MODEL}, with a large max_shard_size")
    if name == MODEL and (folder / "pytorch_model.bin").exists():
        raise ValueError("its weights are a pytorch_model.bin; save it again as "
                         f"{MODEL}")
    raise ValueError(f"{name} is missing")


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


def config_of(content):
    """Family and DecoderOnlyConfig of what the library's config.json holds, a dict;
    ValueError for what would be calculated otherwise here."""
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
    return family, DecoderOnlyConfig(**PARTS[family] | sizes_of(family, content) | more
                                     | {"tied": tied})


def sizes_of(family, content):
    """The sizes in the library's config, by our names.

    raises ValueError for one that no model has
    """
    usual = {"layer_norm_epsilon": 1e-5, "rms_norm_eps": 1e-6,
             "max_position_embeddings": 2048,
             "num_key_value_heads": content.get("num_attention_heads")}
    found = {}
    for ours, theirs in FIELDS[family].items():
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
    """Base and biases in the library's config of a Llama.

    raises ValueError for rotary positions of another kind
    """
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
    """The model of a DecoderOnlyConfig with the weights of a file, whose names and
    shapes are compared before any memory is taken.

    raises ValueError for a file that does not fit
    """
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
            metadata, tensors = file.metadata() or {}, {}
            if CHECKSUM in metadata:    # a file of `save_library`
                check_checksum(path.name, {place: file.get_tensor(place)
                                           for place in file.keys()}, metadata)
            for name, place in stored.items():
                kind = file.get_slice(place).get_dtype()
                if kind not in ("F64", "F32", "F16", "BF16"):
                    raise ValueError(f"{path.name} holds numbers of the kind {kind} in "
                                     f"{place}; known here are floats of 16 to 64 bits")
                # a copy: Windows replaces no file from which a tensor is mapped
                tensors[name] = file.get_tensor(place).to(dtype, copy=True)
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
