"""The numbers of book/asked/choices.md: each function returns what must stand in the
answer with its anchor."""

import math

import torch
from asking import computed
from torch import nn


@computed("can-a-sigmoid-or-a-relu-replace-the-softmax-in-attention")
def _():
    keys = 1000
    total = torch.zeros(keys).sigmoid().sum().item()
    near = (torch.zeros(keys) - math.log(keys)).sigmoid().sum().item()
    assert abs(near - 1) < 0.01
    return (f"{keys:,} keys of score 0 get the sum {total:.0f}, not 1",)


@computed("how-large-should-the-embedding-be-for-a-vocabulary-of-10-000-words")
def _():
    words, width = 10_000, 256
    table = nn.Embedding(words, width).weight.numel()
    return ("100 to 300 numbers for word vectors", "128 to 512 for small Transformers",
            "base Transformer has 512, and BERT-base and GPT-2 small have 768",
            f"{words ** 0.25:.0f} for {words:,}",
            f"{words:,} · {width} = {table / 1e6:.2f} million")


@computed("which-rank-should-i-take-for-lora-8-16-or-64")
def _():
    width, rank, layers = 4096, 16, 32
    new, old = 2 * width * rank, width * width
    inside = 4 * old + 3 * width * 11_008 + 2 * width
    whole, adapters = 2 * 32_000 * width + layers * inside + width, layers * 4 * new
    return ("Begin with 8 or 16", "take 32, 64 or more",
            "rank 4 did as well as 64",    # Hu et al. 2022
            "2 · d · r", f"for {width:,} and rank {rank} these are {new:,}, "
            f"or 1/{old // new} of its {old / 1e6:.1f} million",
            f"all {layers} layers of Llama 7B, rank {rank} trains "
            f"{adapters / 1e6:.1f} million, " +
            f"{100 * adapters / whole:.2f} per cent".removeprefix("0"))


@computed("which-weight-decay-should-i-set-0-1-0-01-or-1e-4")
def _():
    default = torch.optim.AdamW([nn.Parameter(torch.ones(1))]).defaults["weight_decay"]
    shrinks = f"{3e-4 * 0.1:.5f}".removeprefix("0")
    return (f"with AdamW {default:.2f} is PyTorch's default".replace("0.", "."),
            ".1 is usual for pretraining", "0 to .01 fits a short fine-tuning",
            "The value 1e-4 is a habit", "1 − rate · decay".replace("−", "-"),
            f"with 3e-4 and .1 a step shrinks it by {shrinks}")


@computed("which-max-norm-do-i-take-for-gradient-clipping-0-25-1-or-5")
def _():
    norm = math.hypot(3, 4)
    return ("For Transformers 1 is usual", "for recurrent networks .25 to 5 or more",
            f"(3, 4) becomes (.{10 * 3 / norm:.0f}, .{10 * 4 / norm:.0f}) at limit 1")


@computed("how-many-tokens-per-second-can-i-expect-from-a-7b-model-on-a-card-with-"
          "1-000-gb-s-of-memory-bandwidth")
def _():
    bits, bandwidth = 16, 1000
    size = 7 * bits / 8    # GB
    return (f"at most {bandwidth / size:.0f} in {bits} bits ({size:.0f} GB)",
            f"{bandwidth / 4:.0f} in 4 bits (about 4 GB)",
            "often gets 50 to 80 per cent",
            f"with 40 GB/s, a model of 32 GB writes at most {40 / 32} tokens a second")


@computed("bf16-or-fp16-which-one-should-i-train-with")
def _():
    kinds = torch.finfo(torch.bfloat16), torch.finfo(torch.float16)
    digits = [round(-math.log2(kind.eps)) for kind in kinds]
    sizes = {kind.bits // 8 for kind in kinds}
    exponent = kinds[0].bits - 1 - digits[0]    # one bit is the sign
    assert exponent == 32 - 1 - round(-math.log2(torch.finfo(torch.float32).eps))
    return ("RTX 30 and newer", f"Both have {min(sizes)} bytes",
            f"the {exponent} exponent bits of float32",
            f"only {digits[0]} bits of precision",
            f"has {digits[1]}, but ends at {kinds[1].max:,.0f}")


@computed("learned-or-sinusoidal-positions-which-should-i-take-for-my-transformer")
def _():
    return "25.7 BLEU with learned positions, 25.8 with sinusoids",


@computed("two-rtx-3090-or-one-rtx-4090-for-fine-tuning-language-models")
def _():
    memory, state = 24, 16    # GB; bytes a parameter
    assert 1 < memory / state < 2 and 13 * 4 / 8 < memory / 2
    return (f"{memory} GB hold full training with Adam ({state} bytes a parameter",
            "about 1B parameters, or LoRA on 13B in 4 bits",
            f"Two cards have {2 * memory} GB", f"your training fits {memory} GB",
            "Take one 4090", "as one 3090", "(1,008 and 936 GB/s)")


@computed("why-has-mixtral-8x7b-about-47-billion-parameters-and-not-56")
def _():
    width, hidden, layers, experts, words = 4096, 14_336, 32, 8, 32_000
    narrow = width // 32 * 8    # 8 of 32 heads have keys and values of their own
    expert = 3 * width * hidden
    attention = 2 * width * width + 2 * width * narrow
    shared = layers * (attention + experts * width + 2 * width)
    shared += 2 * words * width + width
    every = layers * experts * expert
    def billions(number):
        return f"{number / 1e9:.1f} billion"
    return ("not eight models of 7 billion",
            f"3 · {width:,} · {hidden:,} = {expert / 1e6:.0f} million",
            f"Times {experts} experts and {layers} layers that is {billions(every)}, "
            f"and with the shared {billions(shared)} {billions(every + shared)}",
            "only 2 experts compute", f"{billions(2 * layers * expert + shared)} "
            "parameters are active", f"all {billions(every + shared)} must be")


@computed("gpt-2-with-a-context-of-1-024-tokens-width-768-and-12-heads-how-many-means-"
          "and-deviations-does-one-layer-norm-compute")
def _():
    places, width = 1024, 768
    learned = sum(part.numel() for part in nn.LayerNorm(width).parameters())
    return (f"{places:,} means and {places:,} deviations",
            f"over the {width} numbers of that token", f"{width} numbers each",
            f"{learned:,} parameters a norm, and {learned // 2} in")


@computed("in-flashattention-the-backward-pass-has-2-5-times-the-flops-of-the-forward-"
          "pass-not-2-why-and-why-is-it-faster-all-the-same")
def _():
    forward, backward = 2, 4    # of each product, the gradients of both factors
    assert backward == 2 * forward
    again = backward + 1
    return (f"there are {forward} matrix products", f"has {backward} backward",
            f"FlashAttention has {again} there",
            f"{again} / {forward} = {again / forward}", "6ND", "7ND")


@computed("a-batch-of-8-tokens-4-experts-and-a-capacity-factor-of-1-25-how-many-tokens-"
          "may-each-expert-take-and-what-happens-to-the-others")
def _():
    capacity = 8 / 4 * 1.25
    return (f"8 / 4 · 1.25 = {capacity}, which code rounds to "
            f"{math.floor(capacity)} or {math.ceil(capacity)}",)


@computed("is-bpe-dropout-applied-once-to-the-training-text-or-anew-in-each-epoch-"
          "and-is-it-on-when-i-translate")
def _():
    return "(mostly p = .1)",    # Provilkov et al. 2020


@computed("what-is-qk-norm-good-for-if-the-scores-are-divided-by-the-root-of-d-already")
def _():
    width = 64
    q = nn.RMSNorm(width)(1000 * torch.randn(width))
    largest = (q @ q / width ** 0.5).item()    # its cosine is 1
    return f"width {width} it is {largest:.0f} times a cosine",


@computed("what-is-the-highest-learning-rate-of-the-paper-s-schedule-with-width-512-"
          "and-4-000-warm-up-steps")
def _():
    def rate(n, width, warmup=4000):
        return width ** -0.5 * min(n ** -0.5, n * warmup ** -1.5)
    def short(number, digits):
        return f"{number:.{digits}f}".removeprefix("0")
    peak = rate(4000, 512)
    assert max(rate(n, 512) for n in range(1, 20_000)) == peak
    assert abs(peak - (512 * 4000) ** -0.5) < 1e-9
    [half] = [n for n in (8000, 16_000, 32_000) if abs(rate(n, 512) / peak - .5) < 1e-9]
    assert max(rate(4000, 1024), rate(8000, 512, 8000)) < peak
    assert 2e-3 < 768 ** -0.5    # src/models/optimizers.py of BertSum
    return (f"It is {short(peak, 5)}, at step 4,000",
            r"$d^{-1/2} \cdot \min(n^{-1/2}, n \cdot 4000^{-3/2})$",
            "1 / √(512 · 4,000)", f"{short(512 ** -0.5, 3)} for width 512",
            f"{short(768 ** -0.5, 3)} for 768", "such as 2]", "2e-3",
            f"to half at step {half:,}")


@computed("which-character-coverage-do-i-give-sentencepiece-0-9995-or-1-0")
def _():
    characters, share = 1_000_000, 0.9995
    return ("Take 1.0 for clean text in a language with a small alphabet, and .9995",
            f"In a text of {characters:,} characters .9995 leaves out up to "
            f"{round((1 - share) * characters)} of them")


@computed("how-many-sentences-do-i-need-to-train-a-sentencepiece-vocabulary-must-it-be-"
          "my-whole-corpus-of-34-million-lines")
def _():
    # Kudo in issue 308 of google/sentencepiece (1 to 10 million: issues 9, 341)
    return "for about 32,000 pieces a random sample of 5 million sentences",


@computed("should-i-set-dropout-to-0-when-i-pretrain-a-language-model-as-llama-and-"
          "nanogpt-do")
def _():
    # nanoGPT: data/openwebtext/readme.md, config/train_gpt2.py
    tokens, read = 9_035_582_198, 600_000 * 12 * 1024 * 5 * 8
    return (f"The {tokens / 1e9:.0f} billion tokens of",
            f"are read about {read / tokens:.0f} times", "its 124 million parameters",
            "models of up to 1.4 billion parameters",    # Liu et al. 2025, abstract
            "take .1 to .3 again")


@computed("should-the-cosine-schedule-end-at-0-or-at-a-tenth-of-the-highest-learning-"
          "rate")
def _():
    peak = 6e-4    # of the smallest GPT-3: Brown et al. 2020, table 2.1
    last = f"{peak / 10:.0e}".replace("-05", "-5")
    return f"With a peak of 6e-4 the last rate is then {last}",


@computed("how-many-key-value-heads-should-i-take-for-grouped-query-attention-1-8-or-"
          "as-many-as-there-are-query-heads")
def _():
    queries = 32
    few, fits = ([n for n in range(2, heads) if heads % n == 0] for heads in (8, 12))
    return ("Take 8 if there are 16 query heads or more: in the paper 8 key-value "
            "heads had nearly the quality",    # table 1: 47.1 and 47.2
            f"with {queries} query heads, 8 key-value heads need 1/{queries // 8}, "
            f"and 1 needs 1/{queries}",
            f"with 8 query heads take {few[0]} or {few[1]}, with 12 take {fits[-2]} or "
            f"{fits[-1]}", "in the paper this took 5 per cent of the first training")


@computed("sentence-vectors-of-384-768-or-1-536-numbers-which-size-should-i-take-for-"
          "searching-my-documents-and-may-i-shorten-them")
def _():
    texts = 1_000_000
    short, long = (texts * width * 4 / 1e9 for width in (384, 1536))
    return ("Begin with 384 or 768 numbers",
            f"{texts:,} vectors of 384 numbers in float32 take {short:.1f} GB, "
            f"those of 1,536 take {long:.1f} GB")


@computed("should-i-tie-the-word-embeddings-to-the-output-layer-in-a-large-model-if-"
          "small-ones-do-and-llama-7b-does-not")
def _():
    def size(layers, width, hidden, narrow, words, tables):
        layer = 2 * width * width + 2 * width * narrow + 3 * width * hidden + 2 * width
        return layers * layer + tables * words * width + width
    large = size(32, 4096, 11_008, 4096, 32_000, 2)
    small = size(16, 2048, 8192, 512, 128_256, 1)
    saved = 32_000 * 4096, 128_256 * 2048
    assert abs(saved[1] / small - 0.2) < 0.02    # about a fifth
    block = 12 * 768 ** 2 + 13 * 768    # GPT-2 small: matrices, biases and norms
    table = 50_257 * 768
    tied = table + 1024 * 768 + 12 * block + 2 * 768
    return (f"50,257 · 768 = {table / 1e6:.1f} million numbers",
            f"{tied / 1e6:.0f} million parameters in place of "
            f"{(tied + table) / 1e6:.0f}",
            f"Llama 7B it would save 32,000 · 4,096 = {saved[0] / 1e6:.0f} million, "
            f"{100 * saved[0] / large:.0f} per cent",
            "Llama 3.2 1B it saves 128,256 · 2,048 = "
            f"{saved[1] / 1e6:.0f} million, about a fifth")


@computed("which-size-of-gpt-can-i-train-from-scratch-on-one-consumer-gpu-with-12-to-"
          "16-gb")
def _():
    small, each, ratio, speed = 124e6, 16, 20, 1e13
    def seconds(parameters):
        return 6 * parameters * ratio * parameters / speed
    return (f"its {small / 1e6:.0f} million parameters take {each} bytes each",
            "GPT-2 small", f"{small * each / 1e9:.0f} GB before activations",
            f"GPT-2 medium's 355 million take {355e6 * each / 1e9:.1f} GB",
            f"{ratio} tokens for each parameter, here {small * ratio / 1e9:.1f} "
            "billion",
            "about 6 operations a parameter",
            f"{speed / 1e12:.0f} trillion operations a second, GPT-2 small takes "
            f"{seconds(small) / 86_400:.1f} days, 30 million parameters "
            f"{seconds(30e6) / 3600:.0f} hours, and 500 million "
            f"{seconds(500e6) / 86_400:.0f} days")


@computed("quantization-pruning-or-distillation-which-one-should-i-use-to-make-my-"
          "trained-model-smaller-and-faster")
def _():
    half = torch.finfo(torch.float16).bits
    assert 8 / half == 1 / 2 and 4 / half == 1 / 4
    return ("Weights of 8 bits take half of the memory of float16, those of 4 bits "
            "about a quarter",)


@computed("dna-has-four-letters-should-i-tokenize-single-nucleotides-6-mers-or-bpe-and-"
          "how-large-is-the-vocabulary-then")
def _():
    letters, length, special = 4, 6, 5    # PAD, UNK, CLS, SEP, MASK
    pieces = letters ** length
    # BPE of 4,096 pieces: five times, Zhou et al. 2024 (DNABERT-2), section 3.1
    return (f"Single nucleotides need {letters} tokens", f"{length}-mers need 4⁶ = "
            f"{pieces:,}, and", f"adds {special} special tokens to its "
            f"{length}-mers, so {pieces + special:,}",
            f"Non-overlapping {length}-mers make a sequence {length} times shorter",
            f"BPE with {pieces:,} pieces")


@computed("my-classes-are-unequal-90-to-10-per-cent-which-weights-do-i-give-"
          "crossentropyloss-or-none")
def _():
    counts = 90, 10
    first, second = (sum(counts) / (len(counts) * count) for count in counts)
    assert round(second / first) == 9
    short = f"{first:.2f}".removeprefix("0")
    return (f"90 and 10 of 100 examples get {short} and {second:.0f}",
            "the ratio matters, 1 to 9")


@computed("accuracy-or-micro-macro-or-weighted-f1-which-one-for-classes-of-unequal-"
          "size")
def _():
    each = 2 * 90 / (90 + 100), 0
    weighted, macro = 0.9 * each[0], sum(each) / 2
    return ("so 10 examples of one class weigh as much as 90 of another",
            "Always answering the class of 90 has accuracy .9,",
            f"weighted F1 {weighted:.2f} and macro-F1 {macro:.2f}".replace("0.", "."))


@computed("cosine-dot-product-or-euclidean-distance-which-one-for-comparing-the-"
          "vectors-of-texts")
def _():
    a, b = (torch.nn.functional.normalize(torch.randn(8), dim=0) for _ in range(2))
    assert torch.isclose((a - b) @ (a - b), 2 - 2 * (a @ b), atol=1e-5)
    return "the squared distance is 2 - 2 · cosine",


@computed("from-which-cosine-similarity-on-do-two-sentences-mean-the-same-7-8-or-9")
def _():
    # FAQ 3 in the model card of intfloat/multilingual-e5-base
    return "most cosines lie between .7 and 1 ([model card]", "so there .8 can"


@computed("q4-k-m-q5-k-m-or-q8-0-which-gguf-file-should-i-download")
def _():
    # Llama 2 70B: size in GiB, perplexity
    whole, whole_loss = 128.5, 3.4313
    def more(loss, before=whole_loss):
        return f"{100 * (loss / before - 1):.1f}".removeprefix("0")
    return (f"({16 * 38.54 / whole:.1f} bits a weight) raised the perplexity by "
            f"{more(3.4725)} per cent, `Q5_K_M` by {more(3.4451)}, "
            f"`Q2_K` by {more(3.7339)}", "below 4 bits quality", "With Llama 2 70B",
            # the mean ratios of perplexities
            f"`Q4_K_M` cost Llama 2 7B {more(1.014242, 1)} per cent and Llama 3 8B "
            f"{more(1.02816, 1)}; `Q8_0` cost both less than .1 ",
            "larger model](pretrained.md#gemma-3-")


@computed("chunk-size-and-overlap-how-many-tokens-should-a-passage-have-that-my-"
          "retrieval-searches")
def _():
    assert round((256 - 25) / (256 - 200)) == 4
    return ("Begin with 200 to 500 tokens and an overlap of 10 to 20 per cent",
            "reads 256 tokens and drops", "sharing 200 of 256 tokens",
            "chunks as sharing 25 ")


@computed("lora-or-qlora-is-the-quality-worse-in-4-bits-and-why-is-qlora-slower")
def _():
    scales = 8 / 64 + 32 / (64 * 256)    # double quantization: section 3 of the paper
    bits = 4 + scales
    return (f"in [4 bits ({bits:.3f} with quantised scales)](", "so 7 billion take "
            f"{7 * bits / 8:.1f} GB, not {7 * 16 // 8}", "in 16 bits",
            "tuned 65 billion weights on one GPU of 48 GB",    # its abstract
            "about 66 per cent faster")


@computed("xavier-or-kaiming-initialisation-which-one-for-a-transformer")
def _():
    width = 1024
    xavier, kaiming = (2 / (width + width)) ** 0.5, (2 / width) ** 0.5
    linear = nn.Linear(width, width).weight.std().item()
    assert math.isclose(kaiming / xavier, 2 ** 0.5)    # each; so the scores times 2
    def short(number):
        return f"{number:.3f}".removeprefix("0")
    return (f"{width:,} by {width:,} gets the standard deviation {short(xavier)} by "
            f"Xavier, {short(kaiming)} by Kaiming, {short(linear)} in `nn.Linear`",
            "√2", "standard deviation .02 as in GPT-2")


@computed("adam-s-epsilon-1e-8-1e-6-or-1e-5-and-when-does-it-matter")
def _():
    default = torch.optim.Adam([nn.Parameter(torch.ones(1))]).defaults["eps"]
    def short(number):
        return f"{number:.0e}".replace("e-0", "e-")
    assert 1e-6 / (1e-6 + 1e-6) == 0.5 and round(1e-6 / (1e-6 + 1e-5), 1) == 0.1
    return (f"default of {short(default)}", "1e-6 in RoBERTa",
            "1e-9 in the first Transformer",
            "if all gradients are 1e-6, an epsilon of 1e-6",
            "1e-5 leaves about a tenth", "In float16, 1e-8 becomes 0")


@computed("grid-search-or-random-search-for-the-learning-rate-dropout-and-weight-"
          "decay-and-how-many-trials")
def _():
    above = (1e-3 - 1e-4) / (1e-3 - 1e-5)
    assert round(10 * above) == 9
    trials, best = 60, 0.05
    return ("drawn evenly between 1e-5 and 1e-3", "lie above 1e-4",
            f"With {trials} independent draws the best one lies among the best "
            f"{100 * best:.0f} per cent of all possible draws with a probability of "
            f"{100 * (1 - (1 - best) ** trials):.0f} per cent")


@computed("bert-distilbert-roberta-or-deberta-which-one-should-i-fine-tune-to-"
          "classify-texts")
def _():
    # microsoft/deberta-v3-base: MNLI-m; Sanh et al. 2019, abstract
    return ("RoBERTa-base has an accuracy of 87.6 per cent and DeBERTa-v3-base of 90.6",
            "has 66 million parameters, BERT-base 109: DistilBERT is 60 per cent "
            "faster with 97 per cent of BERT's quality",
            "RoBERTa or DeBERTa-v3 if accuracy")


@computed("word2vec-glove-or-fasttext-which-word-vectors-should-i-take")
def _():
    return "its pieces of 3 to 6 letters",


@computed("general-pairs-and-50-000-of-my-field-do-i-train-on-the-mixture-or-fine-tune")
def _():
    general, own = 1_000_000, 50_000
    return (f"repeated, here {general // own} times for equal parts",
            f"only {100 * own / (general + own):.1f} per cent are your pairs")


@computed("which-learning-rate-and-how-many-epochs-do-i-take-to-fine-tune-a-translator")
def _():
    # Liu et al. 2020, section 3.1; AI4Bharat/indicTrans, issue 9
    return ("2e-5 to 5e-5", "1 to 3 epochs", "took 3e-5", "37.1 BLEU after 3 epochs "
            "over 1.6 million pairs", "36.2 after 6 more")


@computed("my-translator-needs-too-long-for-a-sentence-what-makes-it-faster-and-in-"
          "which-order")
def _():
    width, words = 512, 32_000
    self_attention, cross, inner = 4 * width ** 2, 2 * width ** 2, 8 * width ** 2
    layers = words * width / (self_attention + cross + inner)
    return ("in 16 bits", "a beam of 1 or 2 in place of 5", "8-bit numbers",
            f"With width {width}, scoring {words:,} pieces costs as much as "
            f"{layers:.1f} decoder layers")


@computed("which-temperature-top-p-and-top-k-should-i-set-for-facts-code-or-stories")
def _():
    # Qwen/Qwen3-8B: best practices
    return ("take 0 (greedy) to .3, for a chat about .7, and for stories and ideas "
            "0.8 to 1".replace("0.8", ".8"),
            "A top p of .9 to .95 and a top k of 40 or 50", "Qwen3", "asks for .6")


@computed("how-long-does-it-take-to-fine-tune-a-7b-model-on-10-000-examples")
def _():
    examples, length, epochs, batch = 10_000, 500, 3, 16
    tokens, forward = examples * length * epochs, 2
    peak, reached = 312e12, 1e14    # of an A100 in 16 bits
    hours = 2 * forward * 7e9 * tokens / reached / 3600
    assert 0.3 < reached / peak < 0.5
    return (f"About {hours:.1f} hours with LoRA on one A100, if an example has "
            f"{length} tokens and you train {epochs} epochs: {tokens // 10 ** 6} "
            f"million tokens", f"about {3 * forward} operations a token in full "
            f"fine-tuning, and {2 * forward} with LoRA", f"adds {forward}",
            "often 30 to 50 per cent", f"{reached / 1e12:.0f} of {peak / 1e12:.0f} "
            "trillion", "time 20 updates",
            f"batches of {batch} make {examples * epochs // batch:,} updates")


@computed("gptq-awq-bitsandbytes-or-gguf-which-4-bit-format-should-i-take")
def _():
    return "At 4 bits", "close to 16 bits, and below 4 bits"


@computed("bert-or-a-large-language-model-with-a-prompt-which-one-should-i-take-to-"
          "classify-texts")
def _():
    # Bucher and Martini 2024, abstract
    return (f"of 7 billion weights has {7e9 / 110e6:.0f} times the 110 million",
            "GPT-4")


@computed("with-10-000-words-and-10-steps-how-many-continuations-do-greedy-search-a-beam-"
          "of-5-and-exhaustive-search-look-at")
def _():
    words, steps, beam = 10_000, 10, 5
    assert words ** steps == 10 ** 40
    return (f"all {words:,}¹⁰ = 10⁴⁰ texts", f"{words:,} continuations in each of "
            f"{steps} steps, {words * steps:,} in all", f"A beam of {beam} looks at",
            f"{beam} · {words:,} in each later one: "
            f"{words + (steps - 1) * beam * words:,}")


@computed("how-much-text-and-how-many-epochs-do-i-need-to-train-a-model-like-gpt-2-from-"
          "scratch")
def _():
    each, parameters, size = 20, 124e6, 4    # size: bytes of a token of English
    tokens = each * parameters
    return (f"About {tokens * size / 1e9:.0f} GB of English",
            f"{each} tokens for each parameter", f"{parameters / 1e6:.0f} million "
            f"parameters want {tokens / 1e9:.1f} billion tokens, of about {size} bytes",
            "with up to 1.5 billion parameters, had 40 GB",    # Radford et al. 2019
            "up to 4 epochs", "stays at 6 or 7")


@computed("how-much-gpu-memory-does-a-model-of-70-billion-parameters-need-in-bf16-and-"
          "what-comes-on-top-of-the-weights")
def _():
    billions, card, length = 70, 80, 8192
    half, eight, four = (billions * bits // 8 for bits in (16, 8, 4))
    assert card < half <= 2 * card
    cache = 2 * 80 * 8 * 128 * 2 * length    # Llama 3 70B
    return (f"take {half} GB, at {16 // 8} bytes each: more than one card of {card} GB",
            f"In 8 bits they take {eight} GB and in 4 bits {four}",
            f"Llama 3 70B needs {cache / 1e9:.1f} GB for {length:,}",
            "[16 bytes each](training", f"{billions * 16:,} GB")


@computed("lora-or-full-fine-tuning-which-one-should-i-take-for-a-small-labelled-set")
def _():
    width, rank = 4096, 16
    share = f"{100 * 2 * width * rank / width ** 2:.1f}".removeprefix("0")
    return (f"rank {rank}, {share} per cent of a matrix of {width:,} · {width:,}",
            "4 bits with QLoRA")


@computed("i-have-one-gpu-and-must-train-a-transformer-from-scratch-which-mod"
          "el-and-which-settings-do-i-take")
def _():
    tokens, update, seconds = 1e9, 64 * 512, 0.5
    hours = tokens / update * seconds / 3600
    # Devlin et al. 2019, appendix A.2; Clark et al. 2020, abstract
    return ("took 4 days on 16 TPU chips", "after 4 days on one GPU",
            "10 to 100 million", "128 to 512 tokens", "[16 bytes a parameter]",
            "measure 100 updates",
            f"with {update:,} tokens and .5 seconds an update, take {hours:.1f} hours")


@computed("quantize-1-2-0-5-4-3-and-5-4-to-int8-with-absmax-by-hand-which-numbers-come-"
          "back")
def _():
    def back(*numbers):
        scale = 127 / max(map(abs, numbers))
        return [f"{round(n * scale) / scale:.3f}".replace("0.", ".", 1)
                for n in numbers], [round(n * scale) for n in numbers], scale
    plain, whole, scale = back(1.2, -.5, -4.3, 5.4)
    spoilt, _, coarse = back(1.2, -.5, -4.3, 54)
    half, step = f"{.5 / scale:.3f}".lstrip("0"), f"{1 / coarse:.2f}".lstrip("0")
    return (f"127 / 5.4 = {scale:.2f}", "{}, {}, {} and {}.".format(*whole),
            "come back as {}, {}, {} and {}".format(*plain), f"half a step, {half}",
            f"with 54 in place of 5.4 a step is {step}",
            "come back as {}, {} and {}".format(*spoilt),
            "outliers in 16 bits", f"0 to 6 uses all {2 ** 8} values")


@computed("prove-that-the-scores-of-a-head-have-at-most-rank-d-k-is-that-also-true-of-"
          "the-weights")
def _():
    torch.manual_seed(0)
    q, k = torch.randn(2, 6, 2)
    low, high = (torch.linalg.matrix_rank(m).item()
                 for m in (q @ k.T, (q @ k.T).softmax(dim=-1)))
    return f"makes rank {high} of rank {low}", "in place of 2 · d · $d_k$"


@computed("which-batch-size-should-i-take-for-fine-tuning-a-language-model")
def _():
    few, many = (math.ceil(1000 / batch) for batch in (16, 128))
    return ("Begin with 16 to 64 examples", f"such as 2 · 8 · 1 = {2 * 8 * 1}",
            f"1,000 examples are {few} updates with 16, and {many} with 128")


@computed("sasrec-or-bert4rec-which-one-should-i-take-to-recommend-the-next-item-"
          "and-with-which-loss")
def _():
    histories, length, items = 128, 200, 1_000_000
    return (f"{histories} histories of {length} items and a million items, all scores "
            f"need {histories * length * items * 4 / 1e9:.0f} GB in float32",)
