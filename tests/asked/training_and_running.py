"""The numbers of book/asked/training_and_running.md: each function returns what must
stand in the answer with its anchor."""

import math
import os
import statistics
import subprocess
import sys

import sacrebleu
import torch
from asked_numbers import results, text
from asking import computed
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from torch import nn

SINGLE, HALF = torch.float32.itemsize, torch.float16.itemsize
LLAMA = 2 * 32_000 * 4096 + 32 * (4 * 4096 ** 2 + 3 * 4096 * 11_008 + 2 * 4096) + 4096
ADAPTER = 32 * 2 * 8 * (4096 + 4096)    # layers, two matrices, rank, both sides


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def gigabytes(each, digits=1):
    """Of Llama's weights, with so many bytes each."""
    return f"{LLAMA * each / 1e9:.{digits}f}"


def adams():
    """How many numbers Adam keeps for a weight, its counter of steps apart."""
    weight = nn.Parameter(torch.ones(10))
    optimizer = torch.optim.Adam([weight])
    weight.grad = torch.ones(10)
    optimizer.step()
    kept = optimizer.state[weight]
    return sum(part.numel() for name, part in kept.items() if name != "step") // 10


def kept(layer, x):
    """Bytes that a layer keeps for its backward pass, its own weights apart."""
    own = {part.untyped_storage().data_ptr() for part in layer.parameters()}
    held = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            held[storage.data_ptr()] = storage, storage.nbytes()
        return tensor
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        layer(x)
    return sum(size for _, size in held.values())


@computed("gradient-checkpointing-saves-hardly-any-memory")
def _():
    forward, backward = 2, 4
    width, heads = 512, 8
    layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
    short_text, long_text = (torch.randn(1, words, width, requires_grad=True)
                             for words in (64, 512))
    times = [round(kept(layer, x) / x.nbytes) for x in (short_text, long_text)]
    return (f"of width {width} with {heads} heads keeps {times[0]} times as much as "
            f"its input for texts of 64 words, and {times[1]} times for 512",
            f"about {2 * forward + backward} operations",
            f"in place of {forward + backward}")


@computed("how-much-gpu-memory-does-lora-need-and-full-fine-tuning")
def _():
    each = SINGLE * (2 + adams())
    assert HALF / (4 / 8) == 4    # so a quarter in 4 bits
    return (f"need {HALF} bytes each in {8 * HALF} bits; trained ones need {each}",
            f"has {LLAMA / 1e9:.2f} billion", "Llama of 2023", "32 layers", "Rank 8",
            f"{gigabytes(HALF)} GB if they are frozen, and {gigabytes(each)} GB if all",
            f"{ADAPTER:,} trained numbers, {short(ADAPTER * each / 1e9)} GB",
            "16 GB for LoRA with 7 billion weights, and 6 GB for QLoRA in 4 bits")


@computed("which-part-of-memory-does-each-zero-stage-divide")
def _():
    def kept(weight, gradient, means, gpus):
        return (weight + gradient + means / gpus, weight + (gradient + means) / gpus,
                (weight + gradient + means) / gpus)
    few = kept(SINGLE, SINGLE, SINGLE * adams(), 8)
    mixed = [7.5 * each for each in kept(HALF, HALF, SINGLE * (1 + adams()), 64)]
    return ("Stage 1 divides", "stage 2 also the gradients, stage 3",
            f"sends {(2 + 1) / 2} times as much",    # Rajbhandari et al., section 7.2
            f"Of the {SINGLE * (2 + adams())} bytes", "each of 8 GPUs then keeps "
            "{:.0f}, {} or {:.0f}".format(*few), "7.5 billion parameters on 64 GPUs "
            "need {:.1f}, {:.1f} or {:.1f} GB each".format(*mixed),
            f"in place of {7.5 * (2 * HALF + SINGLE * (1 + adams())):.0f}")


@computed("does-adafactor-save-memory-and-what-is-its-price")
def _():
    rows, columns = 512, 2048
    return (f"{rows} by {columns:,} that is {rows + columns:,} numbers in place of "
            f"{rows * columns * adams():,}",
            f"a parameter needs {SINGLE * (2 + adams())} bytes",
            f"about {2 * SINGLE} remain", "means of 8 bits needs about "
            f"{2 * SINGLE + adams() * torch.int8.itemsize}",
            "PyTorch's default is " + short(torch.optim.Adafactor(
                [nn.Parameter(torch.ones(2, 2))]).defaults["lr"]))


@computed("the-checkpoint-is-three-times-as-large-as-the-model")
def _():
    weights = 15_191_712
    return (f"A model of {weights:,} weights has {weights * SINGLE / 1e6:.1f} MB",
            f"such a file {weights * SINGLE * (1 + adams()) / 1e6:.1f} MB")


@computed("how-much-memory-does-a-model-need-in-4-bits")
def _():
    small, large = ((bits + 16 / 32) / 8 for bits in (4, 8))
    return ("group of 32 weights shares a scale of 16 bits",
            f"a weight of 4 bits needs {8 * small}",
            f"{LLAMA / 1e9:.2f} billion weights take {gigabytes(small)} GB",
            f"with 8 bits they take {gigabytes(large)} GB",
            f"in {8 * HALF} bits {gigabytes(HALF)}",
            f"At {HALF} bytes a weight, 13 billion take {13 * HALF} GB and [70 billion "
            f"{70 * HALF}, more than one card of 80]")


@computed("how-much-more-memory-does-beam-search-take")
def _():
    word = 2 * 32 * 8 * 128 * HALF
    one = 1024 * word / 2 ** 30
    return (f"Llama 3 with 8 billion weights takes {word:,} bytes a word",
            f"1,024 words takes {short(one, 3)} GiB", f"8 beams {8 * one:.0f} GiB",
            f"16 such texts {16 * 8 * one:.0f} GiB")


@computed("i-set-a-limit-of-tokens-a-batch-and-memory-still-runs-out")
def _():
    lengths = 100, 10, 10, 10
    return ("Sentences of {}, {}, {} and {} words".format(*lengths) +
            f" have {sum(lengths)} words",
            f"they are {len(lengths) * max(lengths)} places")


@computed("the-dataloader-needs-three-times-the-memory-with-workers")
def _():
    pointer = (sys.getsizeof([None] * 1000) - sys.getsizeof([])) // 1000
    return (f"{pointer} MB in a list, or about {pointer + sys.getsizeof(1000)} if each "
            f"is its own object, and {torch.int32.itemsize} MB in an int32 tensor",)


@computed("the-setting-bf16-is-on-and-the-parameters-are-still-float32")
def _():
    assert 1 - torch.tensor(0.001).bfloat16() == 1
    return "1 - .001 is 1 again",


@computed("bfloat16-runs-on-my-v100-though-it-is-said-not-to")
def _():
    largest = torch.finfo(torch.float16).max
    return ("compute capability 8.0", "a V100 has 7.0, a T4 7.5",
            f"ends at {largest:,.0f}")


@computed("a-float32-product-differs-between-cpu-and-gpu-is-it-tf32")
def _():
    digits = round(-math.log2(torch.finfo(torch.float32).eps))
    return (f"keeps 10 binary digits behind the point in place of {digits}",
            f"up to {short(2 ** -11, 4)} of itself", "Since version 1.12",
            f"rounding to float32 changes a number by {2 ** -(digits + 1):.0e}"
            .replace("e-0", "e-"),
            "a result in 64 bits")


@computed("two-gpus-are-slower-than-one")
def _():
    return (f"those of 65 million weights are {65 * SINGLE} MB",)


@computed("four-gpus-are-each-used-at-25-percent")
def _():
    return f"{100 / 4:.0f} of 100 for each", "up to 4 times"


@computed("the-gpu-is-used-at-1-percent-while-it-writes-text")
def _():
    bound = 1000 / (LLAMA * HALF / 1e9)
    return (f"In {8 * HALF} bits {LLAMA / 1e9:.2f} billion weights are "
            f"{gigabytes(HALF)} GB", "1,000 GB a second allow each "
            f"text at most {bound:.0f} words a second")


@computed("why-is-translating-in-batches-ten-times-as-fast")
def _():
    assert "A step of a single text takes about .8 ms" in text("18")
    assert "A step of 64 texts takes 3.5 ms in the first 20 steps" in text("18")
    return (".8 ms for one text and 3.5 ms for 64", f"about {64 / 3.5 * 0.8:.0f} times")


@computed("my-quantized-model-is-slower-than-float32")
def _():
    assert SINGLE / torch.int8.itemsize == 4    # so a quarter
    return (f"Weights of {8 * torch.int8.itemsize} bits hardly lower quality",
            f"weights of 4 bits are mostly turned back into {8 * HALF} bits")


@computed("torch-compile-is-slow-again-at-each-new-length")
def _():
    from torch._dynamo import config    # slow, and needed here alone
    return "lengths of 5, 7 and 9", f"after {config.recompile_limit} it gives up"


@computed("how-many-workers-should-a-dataloader-have")
def _():
    return (f"two GPUs with 4 workers each make {2 * 4}",
            f"60 ms and 20 ms need {60 // 20}", "Begin with 2 or 4")


@computed("a-larger-batch-gives-a-worse-loss-after-the-same-epochs")
def _():
    small, large = (math.ceil(29_000 / batch) for batch in (128, 2048))
    return (f"29,000 pairs make {small} updates an epoch with a batch of 128, and "
            f"{large} with 2,048", f"{10 * small:,} against {10 * large}",
            "warm-up of 1,000")


@computed("i-resume-for-more-epochs-and-the-rate-jumps-up")
def _():
    def rate(epoch, epochs):
        return (1 + math.cos(math.pi * epoch / epochs)) / 2
    assert math.isclose(rate(10, 10), 0)
    return ("After 10 of 10 epochs the rate is 0; if you now say 20",
            f"the rate is {short(rate(10, 20), 1)} of its peak")


@computed("resuming-in-the-middle-of-an-epoch-shows-batches-again")
def _():
    twice = []
    for seed in range(400):
        chance = torch.Generator().manual_seed(seed)
        first, again = (torch.randperm(64, generator=chance) for _ in range(2))
        twice.append(len({*first[:20].tolist()} & {*again[20:].tolist()}))
    return ("Of 64 sentences, with 20 seen", f"about {statistics.mean(twice):.0f} then")


@computed("after-loading-my-saved-model-writes-gibberish-though-it-wrote-well-before")
def _():
    def order(seed):
        code = "print(list(set('a model writes')))"
        return subprocess.run([sys.executable, "-c", code], check=True, text=True,
                              env={**os.environ, "PYTHONHASHSEED": str(seed)},
                              capture_output=True).stdout
    assert len({order(seed) for seed in range(3)}) > 1 and order(1) == order(1)
    assert "a fingerprint of the vocabularies" in text("15")
    return ()


@computed("how-do-i-set-the-patience-of-early-stopping")
def _():
    assert "Every 250 updates the validation loss is measured" in text("19")
    assert "If the last 8 measurements bring no lower loss" in text("19")
    assert "the loss from 1.72 to 1.60" in text("19")
    assert "Our batch of 128 pairs" in text("19")
    return (f"8 validations, one each 250 updates, are {8 * 250:,}",
            f"about {8 * 250 * 128 / 29_000:.0f} passes over 29,000 pairs in batches "
            "of 128", "from 1.72 to 1.60", "begin with 5 to 10 validations")


@computed("what-does-gnorm-in-the-log-mean-and-which-value-is-normal")
def _():
    return f"3 and 4 have {math.hypot(3, 4):.0f}", "makes it 10 times"


@computed("with-200-000-pairs-the-transformer-overfits-after-1000-steps")
def _():
    pieces = 200_000 * 25
    assert "29,000 pairs are few, so [dropout]" in text("19")
    return (f"200,000 pairs of 25 pieces are {pieces // 10 ** 6} million",
            f"25,000 pieces an update, 1,000 updates are {1000 * 25_000 // pieces}",
            "65 million weights for 4.5 million", "dropout .3", "29,000 pairs",
            "table 3 and section 5.1")


@computed("what-is-lora-alpha-beside-the-rank")
def _():
    width, rank = 4096, 8
    down, up = nn.Linear(width, rank, bias=False), nn.Linear(rank, width, bias=False)
    trained = down.weight.numel() + up.weight.numel()
    return (f"With alpha 16 the factor is {16 // rank} at rank {rank}, and "
            f"{short(16 / 64)} at rank 64; an alpha of r or twice r is usual",
            f"at rank {rank} a matrix of {width:,} by {width:,} gets {trained:,}",
            f"{width ** 2:,}")


@computed("after-lora-training-there-is-only-a-small-adapter-file")
def _():
    return (f"{ADAPTER:,} numbers are {ADAPTER * SINGLE / 1e6:.1f} MB",
            f"beside {gigabytes(HALF)} GB of a base with {LLAMA / 1e9:.2f} billion "
            f"weights in {8 * HALF} bits")


@computed("the-merged-lora-model-gives-other-output-than-the-adapter")
def _():
    assert torch.tensor(1 + 0.003).bfloat16() == 1
    return ("1 + .003 is 1", "had 4 bits in training and 16 in merging",
            "rounded to 4 bits again")


@computed("of-two-languages-one-has-ten-times-the-data-how-do-i-mix")
def _():
    def share(power):
        return 1 / (1 + 10 ** power)
    T = 5
    again = share(1 / T) / ((1 - share(1 / T)) / 10)
    return (f"has {100 * share(1):.0f} of 100 sentences", f"T = {T} it has "
            f"{100 * share(1 / T):.0f}, and in the limit {100 * share(0):.0f}",
            f"{again:.1f} times as often")


@computed("back-translation-does-not-improve-my-model")
def _():
    assert "2.1 to 3.4 points of BLEU from Turkish to English" in text("21")
    return ("1 to 4 made pairs", f"only {100 / (1 + 10):.0f} of 100 are real",
            "2.1 to 3.4 BLEU")


@computed("the-shuffle-buffer-is-smaller-than-the-data-is-it-shuffled")
def _():
    size = 1000
    return (f"a buffer of {size:,}", f"more than {size - 1} places",
            f"first {size:,} that come are among the first {2 * size - 1:,}")


@computed("vocabulary-size-too-high-please-set-it-to-a-value-below-16171")
def _():
    wanted, tokenizer = 1000, Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(["ball football snowball"] * 10, trainers.BpeTrainer(
        vocab_size=wanted, show_progress=False))
    return f"it makes {tokenizer.get_vocab_size()} pieces of {wanted:,}",


@computed("vocabulary-size-is-smaller-than-required-chars-must-i-increase-it")
def _():
    return ("asks for 37,051", "SentencePiece's .9995",
            f"together {(1 - 0.9995) * 10_000:.0f} of 10,000", f"takes {2 ** 8} places")


@computed("should-each-digit-be-a-piece-of-its-own")
def _():
    return "2023 is one piece, 2024 has two and 2042 four",


@computed("perplexity-depends-on-the-stride-of-the-window-which-one-is-right")
def _():
    words, width = 8, 4
    blocks = [place % width for place in range(words)]
    moved = [min(place, width - 1) for place in range(words)]
    return ("see {}, {}, {}, {}, {}, {}, {} and {} earlier ones".format(*blocks),
            f"{statistics.mean(blocks)} on average",
            f"see {statistics.mean(moved)}, in {words - width + 1} passes in place of "
            f"{words // width}", "words that are there as context get -100")


@computed("perplexity-is-not-e-to-the-loss-in-my-log")
def _():
    loss = 7.049
    return (f"base 2: 2 to the power {loss} is {2 ** loss:.1f}",
            f"would be {math.exp(loss):,.1f}",
            f"Times {short(math.log(2), 3)}, the logarithm of 2, it is "
            f"{loss * math.log(2):.3f}", "the `loss` of 8.206")


@computed("one-validation-takes-two-days")
def _():
    many, few = 100_000, 2_500
    return (f"{many:,} sentences take {many // few} times as long as {few:,}",
            f"only {math.sqrt(many / few):.1f} times as narrow")


@computed("the-first-validations-take-ten-times-as-long")
def _():
    ended = 1 - (1 - 1 / 6000) ** 100
    return (f"If 6,000 pieces are equally likely, only {100 * ended:.0f} of 100 texts "
            "have met their end after 100 words",)


@computed("bleu-is-0-00-and-the-loss-falls")
def _():
    texts, gold = (["the dog saw some cats near the big house"],
                   [["the dog saw a cat near the house"]])
    plain, smoothed = (sacrebleu.BLEU(smooth_method=method).corpus_score(texts, gold)
                       for method in ("none", "exp"))
    *shares, last = plain.precisions
    assert last == 0 and sacrebleu.BLEU().smooth_method == "exp"
    assert len(shares) == 3
    return (f"has {plain.score:.1f} without smoothing and {smoothed.score:.1f} "
            "with sacrebleu",)


@computed("is-e-to-the-score-the-probability-of-the-translation")
def _():
    logs = -0.2926, -0.7546, -0.0085, 0
    mean, total = statistics.mean(logs), sum(logs)
    return ("{}, {}, {} and {}".format(*(f"{one}".replace("0.", ".") for one in logs)),
            f"the mean {f'{mean:.4f}'.replace('0.', '.')}, and e to that is "
            f"{short(math.exp(mean), 3)}", f"{total:.4f}",
            f"the probability {short(math.exp(total), 3)}")


@computed("how-do-i-train-a-small-translator-from-a-large-one")
def _():
    return "10 times as fast", "by 4.2 BLEU"

@computed("do-two-gpus-of-24-gb-count-as-one-of-48-gb")
def _():
    each = SINGLE * (2 + adams())
    return (f"At {each} bytes a parameter 24 GB are full with {24 / each} billion",
            "an RTX 4090 has no NVLink", f"of 48 GB is simpler, and holds {48 // each} "
            "billion", "frozen weights of 4 bits", "means of 8 bits")


@computed("on-four-gpus-my-training-hangs-at-the-end-of-the-epoch-without-an-error-why")
def _():
    examples, batch, gpus = 4097, 1024, 4
    part = math.ceil(examples / gpus)
    parts = [part] * (gpus - 1) + [examples - (gpus - 1) * part]
    steps = [math.ceil(part / batch) for part in parts]
    told = [f"{part:,}" for part in parts]
    return (f"{examples:,} examples", f"{', '.join(told[:-1])} and {told[-1]}",
            f"{', '.join(map(str, steps[:-1]))} and {steps[-1]} batches",
            f"up to {batch:,}")


@computed("a-pipeline-with-4-stages-and-8-microbatches-which-share-of-the-time-is-each-gpu-"
          "idle-and-with-64")
def _():
    def idle(parts, digits=0):
        return f"{100 * 3 / (parts + 3):.{digits}f}"
    return (f"{idle(8)} percent with 8 microbatches and {idle(64, 1)} with 64",
            f"here 3/{8 + 3} and 3/{64 + 3}",
            f"With 4 microbatches it is 3/{4 + 3}, or {idle(4)} percent",
            f"with one microbatch {idle(1)} percent")


@computed("how-long-does-it-take-to-train-bert-from-scratch-on-800-000-sentences-with-one-"
          "rtx-2080")
def _():
    sentences, batch, second, long = 800_000, 32, 0.2, 1_000_000 * 256
    epoch = sentences // batch
    hours = epoch * second / 3600
    days = long / batch * second / 86_400
    words = 800e6 + 2500e6    # of books, and of Wikipedia: the paper's section 3.1
    return (f"{hours:.1f} hours an epoch", f"takes {short(second, 1)} seconds",
            "time 100 updates", f"{sentences:,} / {batch} = {epoch:,}",
            f"4 epochs are then {4 * epoch:,} updates, {4 * hours:.1f} hours",
            "1,000,000 updates of 256 sequences, 4 days on 16 TPU chips",
            f"{batch} sentences in {short(second, 1)} seconds that is {days:.0f} days",
            f"your {sentences * 25 / 1e6:.0f} million ({sentences:,} sentences of 25)",
            f"BERT had {words / 1e9:.1f} billion")


@computed("how-long-does-it-take-to-train-gpt-2-with-124-million-parameters-on-one-rtx-"
          "4090")
def _():
    weights, layers, width, block = 124_439_808, 12, 768, 1024
    word = 6 * weights + 12 * layers * width * block
    # NVIDIA's Ada whitepaper: 16 bits, sums in float32, dense; nanoGPT: train_gpt2.py
    speed, few, many = 165e12, 10e9, 600_000 * 12 * 1024 * 5 * 8
    def days(tokens, share):
        return tokens * word / (share * speed) / 86_400
    return (f"About {days(few, .55):.0f} to {days(few, .3):.0f} days for "
            f"{few / 1e9:.0f} billion tokens", "reaches 30 to 55 per cent of its "
            f"{speed / 1e12:.0f} trillion", f"takes {short(word / 1e9)} billion "
            "operations: 6 for each weight", f"the {many / 1e9:.0f} billion of",
            f"4 days on 8 A100, take {days(many, .55):.0f} to "
            f"{days(many, .3):.0f} days",
            # so says the linked issue; 312e12 in nanoGPT: estimate_mfu of model.py
            f"one 4090 did {round(.29 * 312e12 / word, -3):,.0f} tokens a second, "
            "[29 per cent of an A100's peak](",
            f"at 50,000 tokens a second, {few / 1e9:.0f} billion take "
            f"{few / 50_000 / 86_400:.1f} days")


@computed("how-much-text-do-i-need-to-pretrain-a-model-like-bert-for-my-own-language")
def _():
    words = 800e6 + 2500e6    # Devlin et al. 2019, section 3.1
    return ("with 4 GB of French web text", "with over 130 ([Martin",
            f"BERT had {words / 1e9:.1f} billion words, which are 16 GB",
            "RoBERTa had over 160 GB",
            "From 10 to 100 million words")


@computed("teacher-forcing-ratio-0-5-in-my-rnn-translator-what-does-it-decide-which-"
          "value-do-i-take-and-which-one-in-validation")
def _():
    most, half, always = (statistics.mean(one["by length"]["21-24"]["bleu"][0]
                                          for one in results(name))
                          for name in ("rnn-forced-75", "rnn-forced-50", "rnn"))
    return (f"gains {most - always:.1f} BLEU with .75 on long sentences, and "
            f"{half - always:.1f} with .5", "the .5 of many tutorials")
