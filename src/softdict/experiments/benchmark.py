"""The book's Transformer beside torch.nn.Transformer and Hugging Face's Marian: `make benchmark`.

One size for all three, random weights, sentences as long as Multi30k's. In each round every system does the same work
once, in an order drawn anew; a ratio is formed within a round, and the table shows medians with their middle half.
(What bucketing gains compares two kinds of batches: there a ratio is formed between speeds of the same rank.)
On a CPU, torch's profiler tells what a training step spends its time on; on a GPU, ours is also timed in bfloat16,
with explicit attention in place of the fused one, and compiled.
"""

import datetime
import json
import math
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from functools import partial
from importlib import metadata

import torch
import torch.nn.functional as F
from torch import nn

from softdict.attention import attention
from softdict.batches import epoch_batches, make_batch
from softdict.decoding import beam_search, greedy
from softdict.experiments.frame import RESULTS, hardware, rounded, versions
from softdict.layers import sinusoids
from softdict.masks import causal_mask, hidden_mask
from softdict.runtime import device, seed as start_chance, write_whole
from softdict.training import Settings, Training, update
from softdict.transformer import Transformer
from softdict.vocab import BOS, EOS, PAD

WIDTH, HEADS, LAYERS, HIDDEN, VOCABULARY, DROPOUT, SIZE, WRITTEN = 256, 8, 3, 1024, 8000, 0.1, 64, 24
# ours over theirs must be at least this (the plan's numbers, reached before)
WANTED = {"step, random batches / torch": 1.30, "step, bucketed batches / torch": 1.10, "bucketed / random": 1.6,
          "greedy 64 / torch": 4.0, "greedy 64 / marian": 0.95, "greedy 1 / marian": 1.4, "beam 5 / marian": 1.2}
PLAIN = ["ours", "torch", "marian"]
VARIANTS = ["bfloat16", "explicit attention", "compiled"]    # of ours, where there is a GPU


# Three systems

def ours(attend=None):
    """The book's Transformer."""
    return Transformer(VOCABULARY, VOCABULARY, WIDTH, HEADS, LAYERS, HIDDEN, DROPOUT, tied=False, attend=attend)


class Torch(nn.Module):
    """torch.nn.Transformer as its users write it: embeddings, positions and a generator around it."""

    def __init__(self):
        super().__init__()
        self.source, self.target = (nn.Embedding(VOCABULARY, WIDTH, padding_idx=PAD) for _ in range(2))
        self.dropout = nn.Dropout(DROPOUT)
        self.transformer = nn.Transformer(WIDTH, HEADS, LAYERS, LAYERS, HIDDEN, DROPOUT, batch_first=True)
        self.generator = nn.Linear(WIDTH, VOCABULARY)
        self.register_buffer("codes", sinusoids(torch.arange(512), WIDTH))

    def embed(self, table, ids):
        return self.dropout(table(ids) * WIDTH ** 0.5 + self.codes[:ids.shape[1]])

    def write(self, target, states, hidden):
        mask = hidden_mask(causal_mask(target.shape[1], target.device))
        return self.transformer.decoder(self.embed(self.target, target), states, tgt_mask=mask,
                                        memory_key_padding_mask=hidden, tgt_is_causal=True)

    def read(self, source):
        hidden = source == PAD
        return self.transformer.encoder(self.embed(self.source, source), src_key_padding_mask=hidden), hidden

    def forward(self, source, target):
        """source [B, S], target [B, T]; returns logits [B, T, V]."""
        return self.generator(self.write(target, *self.read(source)))


def marian():
    """Marian of Hugging Face's transformers, of the same size."""
    from transformers import MarianConfig, MarianMTModel
    config = MarianConfig(
        vocab_size=VOCABULARY, d_model=WIDTH, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_ffn_dim=HIDDEN,
        decoder_ffn_dim=HIDDEN, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS, dropout=DROPOUT,
        activation_function="relu", scale_embedding=True, pad_token_id=PAD, eos_token_id=EOS, bos_token_id=BOS,
        decoder_start_token_id=BOS, forced_eos_token_id=None, max_position_embeddings=512, tie_word_embeddings=False)
    return MarianMTModel(config)


# What they do

def sentences(count, chance):
    """Pairs of random ids as long as Multi30k's: about 13 words, from 4 to 40."""
    def one(length):
        return [chance.randrange(4, VOCABULARY) for _ in range(length)]

    pairs = []
    for _ in range(count):
        length = min(40, max(4, round(chance.lognormvariate(math.log(12), 0.32))))
        pairs.append((one(length), one(min(40, max(4, length + round(chance.gauss(0, 2)))))))
    return pairs


def batches(count, chance, bucketed):
    """Batches of 64 pairs from as many as Multi30k has: of random composition, or from the book's loader."""
    pairs = sentences(29_000, chance)
    if bucketed:
        every = epoch_batches(pairs, SIZE, seed=0, epoch=0)
    else:
        every = [make_batch(pairs[n:n + SIZE]) for n in range(0, count * SIZE, SIZE)]
    return [batch.to(device()) for batch in chance.sample(every, count)]


def trainer(name):
    """A function that does one training step of a system, or of a variant of ours, on a batch."""
    start_chance(0)
    if name in ("ours", *VARIANTS):
        model = ours(attention if name == "explicit attention" else None).to(device()).train()
        if name == "compiled":
            model.states = torch.compile(model.states, dynamic=True)    # all but the generator
        precision = "bfloat16" if name == "bfloat16" else "float32"
        training = Training(model, Settings(updates=10**9, peak_rate=1e-4, precision=precision))
        return lambda batch: training.history.append(update(training, batch))
    model = (Torch() if name == "torch" else marian()).to(device()).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)

    def step(batch):
        if name == "torch":
            logits = model(batch.source, batch.target_in)
        else:
            logits = model(input_ids=batch.source, attention_mask=batch.source != PAD,
                           decoder_input_ids=batch.target_in, use_cache=False).logits
        loss = F.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    return step


def writer(name, beam=1):
    """A function that translates a batch into 24 words without an end."""
    start_chance(0)
    model = {"ours": ours, "torch": Torch, "marian": marian}[name]().to(device()).eval()
    with torch.no_grad():
        if name == "marian":
            model.final_logits_bias[0, EOS] = -1e9
        else:
            model.generator.bias[EOS] = -1e9

    def ours_writes(batch):
        if beam > 1:
            return beam_search(model, batch.source, batch.source_lengths, beam, limit=WRITTEN)
        return greedy(model, batch.source, batch.source_lengths, limit=WRITTEN)

    @torch.inference_mode()
    def torch_writes(batch):
        states, hidden = model.read(batch.source)
        target = torch.full_like(batch.source[:, :1], BOS)
        for _ in range(WRITTEN):
            words = model.generator(model.write(target, states, hidden)[:, -1]).argmax(dim=-1)
            target = torch.cat([target, words[:, None]], dim=1)
        return target

    def marian_writes(batch):    # `generate` brings its own no_grad
        return model.generate(input_ids=batch.source, attention_mask=(batch.source != PAD).long(), num_beams=beam,
                              do_sample=False, max_new_tokens=WRITTEN, min_new_tokens=WRITTEN)

    return {"ours": ours_writes, "torch": torch_writes, "marian": marian_writes}[name]


# Timing

def timed(work, batch):
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    begin = time.perf_counter()
    work(batch)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - begin


def rounds(works, rows, chance):
    """Seconds of each system on each batch; all systems take a batch in turn, in an order drawn anew."""
    for work in works.values():    # what is made at the first call does not count
        work(rows[0])
    seconds = {name: [] for name in works}
    for batch in rows:
        for name in chance.sample(list(works), len(works)):
            seconds[name].append(timed(works[name], batch))
    return seconds


def ratio(others, own):
    """Median of theirs over ours, with the quarter points."""
    values = sorted(other / mine for other, mine in zip(others, own))
    return statistics.median(values), *(values[len(values) * part // 4] for part in (1, 3))


def peak(name):
    """Megabytes of memory that a process takes which does five training steps of a system, at its largest."""
    command = [sys.executable, "-m", "softdict.experiments.benchmark", "--peak", name]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def peak_here(name):
    import transformers.models.marian.modeling_marian    # its code counts for all three  # noqa: F401

    step, rows = trainer(name), batches(5, random.Random(0), False)
    for batch in rows:
        step(batch)
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated() / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if platform.system() == "Darwin" else 1e3)


def spent(names, rows, chance):
    """Milliseconds of a training step on products of matrices, attention's too, random numbers, Adam, and the rest.

    the whole is taken by the clock, in the same rounds, for the profiler takes time itself
    """
    steps, seen = {name: trainer(name) for name in names}, {name: [] for name in names}

    def profiled(name, batch):
        with torch.profiler.profile() as profile:
            steps[name](batch)
        seen[name].append(profile.key_averages())

    seconds = rounds(steps | {f"{name}, profiled": partial(profiled, name) for name in names}, rows, chance)
    result = {}
    for name in names:
        parts = dict.fromkeys(("products", "random numbers", "Adam"), 0.0)
        for event in (event for events in seen[name][1:] for event in events):    # the first call does not count
            # own: without the operations that an operation calls
            if event.key.startswith(("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::_scaled_dot")):
                parts["products"] += event.self_cpu_time_total / 1000 / len(rows)
            elif event.key in ("aten::random_", "aten::bernoulli_"):
                parts["random numbers"] += event.self_cpu_time_total / 1000 / len(rows)
            elif "#Adam" in event.key:
                parts["Adam"] += event.cpu_time_total / 1000 / len(rows)
        result[name] = parts | {"rest": 1000 * statistics.mean(seconds[name]) - sum(parts.values())}
    return result


def measure(threads, count=40, variants=()):
    """All figures with a number of threads: {what is compared: (median, quarter, three quarters)} and milliseconds."""
    torch.set_num_threads(threads)
    chance, ratios, times = random.Random(threads), {}, {}
    steps, speeds = {name: trainer(name) for name in [*PLAIN, *variants]}, {}
    kinds = {"random": batches(count, chance, False), "bucketed": batches(count, chance, True)}
    both = rounds(steps, [batch for pair in zip(*kinds.values()) for batch in pair], chance)
    for number, (kind, rows) in enumerate(kinds.items()):
        seconds = {name: row[number::2] for name, row in both.items()}
        for name in steps:
            if name != "ours":
                ratios[f"step, {kind} batches / {name}"] = ratio(seconds[name], seconds["ours"])
        times |= {f"step, {kind}, {name}": 1000 * statistics.median(seconds[name]) for name in steps}
        words = [(batch.target_out != PAD).sum().item() for batch in rows]
        speeds[kind] = [n / s for n, s in zip(words, seconds["ours"])]
    ratios["bucketed / random"] = ratio(sorted(speeds["bucketed"]), sorted(speeds["random"]))
    for label, size, beam, against in (("greedy 64", 64, 1, PLAIN), ("greedy 1", 1, 1, PLAIN),
                                       ("beam 5", 64, 5, ["ours", "marian"])):
        works = {name: writer(name, beam) for name in against}
        rows = [make_batch(sentences(size, chance)).to(device()) for _ in range(max(5, count // 2))]
        seconds = rounds(works, rows, chance)
        ratios |= {f"{label} / {name}": ratio(seconds[name], seconds["ours"]) for name in against[1:]}
        times |= {f"{label}, {name}": 1000 * statistics.median(seconds[name]) for name in against}
    return {"ratios": ratios, "milliseconds": times}


def main(arguments):
    """Measures with one thread and two, prints the table, and keeps it among the package's assets."""
    if arguments[:1] == ["--peak"]:
        print(peak_here(arguments[1]))
        return
    machine = hardware()
    torch.set_num_threads(1)
    names, chance = PLAIN if device().type == "cpu" else [], random.Random(0)
    record = {"date": datetime.date.today().isoformat(), "command": "make benchmark", "hardware": machine,
              "versions": versions() | {"transformers": metadata.version("transformers")}, "device": device().type,
              "peak megabytes": {name: peak(name) for name in PLAIN},
              "milliseconds of a bucketed step": spent(names, batches(20, chance, True), chance),
              "threads": {threads: measure(threads, variants=VARIANTS if torch.cuda.is_available() else ())
                          for threads in (1, 2)}}
    print(f"{'ours is faster by':44} {'1 thread':24} {'2 threads':24} wanted")
    for name in record["threads"][1]["ratios"]:
        columns = ["{:.2f} ({:.2f} to {:.2f})".format(*record["threads"][n]["ratios"][name]) for n in (1, 2)]
        print(f"{name:44} {columns[0]:24} {columns[1]:24} {WANTED.get(name, '')}")
    print("peak memory of five training steps:",
          ", ".join(f"{name} {size:.0f} MB" for name, size in record["peak megabytes"].items()))
    kind = "" if device().type == "cpu" else f".{device().type}"    # chapter 15 reads the CPU's
    text = json.dumps(rounded(record), indent=1) + "\n"
    write_whole(RESULTS.parent / f"benchmark{kind}.json", text.encode("utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
