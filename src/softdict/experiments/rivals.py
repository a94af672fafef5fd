"""The book's Transformer and what the benchmark compares it with, all of one size."""

from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

from softdict import runtime
from softdict.attention import attention, sdpa
from softdict.decoding import beam_search, greedy
from softdict.layers import Dropout, sinusoids
from softdict.masks import causal_mask, hidden_mask
from softdict.training import Settings, TrainingState, update
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant
from softdict.vocab import BOS, EOS, PAD

CONFIG = TransformerConfig(width=256, heads=8, layers=3, hidden=1024, dropout=0.1)
VOCABULARY, WRITTEN = 8000, 24    # words to know, words to write
LONGEST = 512                     # positions of the rivals
# of ours, where there is a GPU
VARIANTS = ("bfloat16", "explicit attention", "compiled")


# Models

def ours(attend=sdpa):
    """The book's Transformer."""
    return make_variant(VOCABULARY, VOCABULARY, replace(CONFIG, attend=attend),
                        tied=False)


class Torch(nn.Module):
    """torch.nn.Transformer as its users write it, with what it needs around it.

    that is embeddings, positions and a generator
    """

    def __init__(self):
        super().__init__()
        width = CONFIG.width
        self.source, self.target = (nn.Embedding(VOCABULARY, width, padding_idx=PAD)
                                    for _ in range(2))
        self.dropout = nn.Dropout(CONFIG.dropout)
        self.transformer = nn.Transformer(
            width, CONFIG.heads, CONFIG.layers, CONFIG.layers, CONFIG.hidden,
            CONFIG.dropout, batch_first=True)
        self.generator = nn.Linear(width, VOCABULARY)
        self.register_buffer("codes", sinusoids(torch.arange(LONGEST), width))

    def embed(self, table, ids):
        """ids [B, T]; returns x [B, T, D]."""
        x = table(ids) * CONFIG.width ** 0.5
        return self.dropout(x + self.codes[:ids.shape[1]])

    def read(self, source):
        """source [B, S]; returns memory [B, S, D] and hidden [B, S]: where pads are."""
        hidden = source == PAD
        return self.transformer.encoder(self.embed(self.source, source),
                                        src_key_padding_mask=hidden), hidden

    def write(self, target, memory, hidden):
        """target [B, T], memory [B, S, D], hidden [B, S]; returns x [B, T, D]."""
        mask = hidden_mask(causal_mask(target.shape[1], target.device))
        return self.transformer.decoder(
            self.embed(self.target, target), memory, tgt_mask=mask,
            memory_key_padding_mask=hidden, tgt_is_causal=True)

    def states(self, source, target):
        """source [B, S], target [B, T]; returns x [B, T, D]."""
        return self.write(target, *self.read(source))

    def forward(self, source, target):
        """source [B, S], target [B, T]; returns logits [B, T, V]."""
        return self.generator(self.states(source, target))


def equalised():
    """Torch with our Dropout, and none inside attention: the same work as ours."""
    model = Torch()
    for part in list(model.modules()):
        for name, inner in part.named_children():
            if isinstance(inner, nn.Dropout):
                setattr(part, name, Dropout(inner.p))
        if isinstance(part, nn.MultiheadAttention):
            part.dropout = 0.0
    return model


def marian():
    """Marian of Hugging Face's transformers."""
    from transformers import MarianConfig, MarianMTModel
    config = MarianConfig(
        vocab_size=VOCABULARY, d_model=CONFIG.width, encoder_layers=CONFIG.layers,
        decoder_layers=CONFIG.layers, encoder_ffn_dim=CONFIG.hidden,
        decoder_ffn_dim=CONFIG.hidden, encoder_attention_heads=CONFIG.heads,
        decoder_attention_heads=CONFIG.heads, dropout=CONFIG.dropout,
        activation_function="relu", scale_embedding=True, pad_token_id=PAD,
        eos_token_id=EOS, bos_token_id=BOS, decoder_start_token_id=BOS,
        forced_eos_token_id=None, max_position_embeddings=LONGEST,
        tie_word_embeddings=False)
    return MarianMTModel(config)


MODELS = {"ours": ours, "torch": Torch, "equalised": equalised, "marian": marian}


def made(name):
    """A model with random weights, the same at every call, on the fastest device."""
    runtime.seed(0)
    if name in VARIANTS:
        model = ours(attention if name == "explicit attention" else sdpa)
    else:
        model = MODELS[name]()
    return model.to(runtime.device())


# What they do

def trainer(name):
    """A function that does one training step on a batch; returns its loss."""
    model = made(name).train()
    if name == "ours" or name in VARIANTS:
        return our_trainer(name, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4,
                                 fused=name == "equalised" or None)

    def step(batch):
        real = slice(None)
        if name == "marian":
            logits = model(input_ids=batch.source, attention_mask=batch.source != PAD,
                           decoder_input_ids=batch.target_in, use_cache=False).logits
        elif name == "torch":
            logits = model(batch.source, batch.target_in)
        else:
            real = batch.target_out != PAD    # the generator scores words alone
            logits = model.generator(model.states(batch.source, batch.target_in)[real])
        loss = F.cross_entropy(logits.flatten(0, -2), batch.target_out[real].flatten(),
                               ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


def our_trainer(name, model):
    """The same for ours, with the loop of `training`."""
    if name == "compiled":
        # all but the generator
        model.states = torch.compile(model.states, dynamic=True)
    precision = "bfloat16" if name == "bfloat16" else "float32"
    state = TrainingState(model, Settings(updates=10**9, peak_rate=1e-4,
                                          precision=precision))

    def step(batch):
        state.history.append(update(state, batch))
        return state.history[-1]["loss"]

    return step


def reader(name):
    """A function that encodes a batch, in use; of torch, with its fast path."""
    model = made(name).eval()

    @torch.no_grad()
    def read(batch):
        if name == "ours":
            return model.encode(batch.source, batch.source_lengths)[0]
        return model.read(batch.source)[0]

    return read


def writer(name, beam_size=1):
    """A function that translates a batch into 24 words without an end."""
    model = made(name).eval()
    with torch.no_grad():
        if name == "marian":
            model.final_logits_bias[0, EOS] = -1e9
        else:
            model.generator.bias[EOS] = -1e9

    def ours_writes(batch):
        given = model, batch.source, batch.source_lengths
        if beam_size > 1:
            return beam_search(*given, beam_size, max_length=WRITTEN)
        return greedy(*given, max_length=WRITTEN)

    @torch.inference_mode()
    def torch_writes(batch):
        memory, hidden = model.read(batch.source)
        target = torch.full_like(batch.source[:, :1], BOS)
        for _ in range(WRITTEN):
            x = model.write(target, memory, hidden)[:, -1]
            ids = model.generator(x).argmax(dim=-1)
            target = torch.cat([target, ids[:, None]], dim=1)
        return target

    def marian_writes(batch):    # `generate` brings its own no_grad
        return model.generate(input_ids=batch.source,
                              attention_mask=(batch.source != PAD).long(),
                              num_beams=beam_size, do_sample=False,
                              max_new_tokens=WRITTEN, min_new_tokens=WRITTEN)

    return {"ours": ours_writes, "torch": torch_writes, "marian": marian_writes}[name]
