"""The numbers of book/asked/pretrained.md: each function returns what must stand in the
answer with its anchor."""

import math

import torch
from asked_numbers import text
from asking import computed
from torch import nn


def short(number, digits=2):
    """The number without a zero in front of its point."""
    return f"{number:.{digits}f}".replace("0.", ".", 1 if abs(number) < 1 else 0)


def translator(width, inner, layers, pieces):
    """Parameters of a Transformer that uses one table of pieces three times."""
    count = sum(part.numel() for kind in (nn.TransformerEncoderLayer,
                                          nn.TransformerDecoderLayer)
                for part in kind(width, 8, inner).parameters())
    return layers * count + pieces * width


@computed("how-many-examples-do-i-need-for-instruction-tuning")
def _():
    return ("LIMA, with 65 billion weights", "after 1,000 carefully",
            "Alpaca took 52,000", "with 7 billion weights, doubling 2,000",
            "section 5", "compare 250, 500 and 1,000", "take 1 to 3 epochs")


@computed("how-large-must-my-text-be-to-fine-tune-gpt-2")
def _():
    piece = 4
    return (f"at about {piece} bytes a piece, 10 MB of English are {10 / piece} "
            "million pieces", f"One megabyte, {short(1 / piece)} million pieces",
            "such as 1 to 3")


@computed("should-the-loss-count-the-prompt-too-or-only-the-answer")
def _():
    left_out = nn.CrossEntropyLoss().ignore_index
    return f"labels of {left_out} leave it out",


@computed("bert-overfits-after-2-or-3-epochs-on-1-000-examples-is-that-normal")
def _():
    share, many = 0.9, 100
    return ("recommends 2 to 4 epochs, and 110 million", "soon fit 1,000 examples",
            "instruction tuning takes 1 to 3",
            "batches of 16 or 32, a rate of 2e-5 to 5e-5",
            f"with 16 an epoch has {math.ceil(1000 / 16)} updates",
            f"{share * many:.0f} right of {many} are certain only to about "
            f"{100 * 1.96 * math.sqrt(share * (1 - share) / many):.0f} points")


@computed("bert-base-learns-and-bert-large-has-the-same-accuracy-in-every-epoch")
def _():
    return f"of their number, {short(math.log(2))} for two", "rate of 1e-5 to 2e-5", \
        "let it overfit 20 examples"


@computed("i-fine-tune-bert-with-a-rate-of-1e-3-and-the-loss-stays-at-4-1")
def _():
    rate, usual, largest, classes = 1e-3, 2e-5, 5e-5, 60
    weight = nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.AdamW([weight], lr=rate)
    weight.grad = torch.tensor([1e-4, -10.0])
    optimizer.step()
    assert torch.allclose(weight.detach().abs(), torch.tensor(rate), rtol=1e-3)
    return (f"The rate is {rate / largest:.0f} to {rate / usual:.0f} times",
            "take 2e-5 to 5e-5 for 2 to 4 epochs", "With 1e-3, Adam's",
            f"by {short(rate, 3)}, whatever",
            f"ln {classes} = {math.log(classes):.2f} for {classes} equal classes")


@computed("without-pretraining-i-get-2-percent-and-always-answering-london-gets-5")
def _():
    shares = [0.05] + 95 * [0.01]
    assert math.isclose(sum(shares), 1)
    return (f"London has 5 of 100 people and {len(shares) - 1} places have one each",
            f"right for {100 * sum(share ** 2 for share in shares):.1f} of 100")


@computed("my-dpo-loss-stays-at-0-6931-and-all-rewards-are-0-why")
def _():
    assert math.isclose(math.log(2), -nn.functional.logsigmoid(torch.tensor(0.0)),
                        rel_tol=1e-6)
    assert round(math.log(2), 4) == 0.6931
    ignored = torch.full((1, 4), nn.CrossEntropyLoss().ignore_index)
    words = nn.functional.cross_entropy(torch.randn(1, 9, 4), ignored, reduction="sum")
    assert words == 0
    return "The number is ln 2", f"all its labels are {ignored[0, 0]}"


@computed("in-dpo-the-reward-of-the-chosen-answers-falls-too-is-that-wrong")
def _():
    def loss(chosen, rejected):
        reward = 0.1 * torch.tensor([chosen, rejected])
        return short(-nn.functional.logsigmoid(reward[0] - reward[1]).item(), 4)
    return (f"of -1 and -6 give the loss {loss(-1, -6)}, and no change gives "
            f"{loss(0, 0)}",)


@computed("how-do-i-get-the-probability-of-a-sentence-from-bert")
def _():
    joint = torch.eye(2) / 2
    guessed = joint / joint.sum(dim=0) * joint / joint.sum(dim=1, keepdim=True)
    assert joint.sum() == 1
    return (f"the products of all texts sum to {guessed.sum():.0f}",)


@computed("bertscore-gives-0-89-to-two-sentences-that-have-nothing-in-common-is-it-broken")
def _():
    base, score = 0.83122575, 0.894    # the library's, of roberta-large's layer 17
    return ("between .85 and .95",     # journal/rescale_baseline.md of the library
            f"With b = {short(base, 3)}, {short(score, 3)} becomes "
            f"{short((score - base) / (1 - base))}")


@computed("should-i-freeze-bert-and-train-only-the-classifier-or-fine-tune-all-layers")
def _():
    return ("(2e-5 to 5e-5) and 2 to 4 epochs",          # Devlin et al., appendix A.3
            "had 94.9 F1 in place of 96.4", "table 7")    # section 5.3


@computed("my-documents-are-longer-than-512-tokens-how-do-i-classify-them-with-bert")
def _():
    first, last = 128, 382
    return (f"the first {first} and the last {last} tokens",
            f"with `[CLS]` and `[SEP]` are {first + last + 2}",
            # Sun et al., 5.3.1
            "gave 5.42 errors in 100, and the beginning alone gave 5.63")


@computed("can-t5-read-more-than-512-tokens-and-what-does-it-cost")
def _():
    trained, longer = 512, 1024
    assert longer ** 2 == 4 * trained ** 2
    return (f"no table of {trained} rows", "32 buckets",
            "all distances beyond 128 share one",    # section 2.1
            f"with {longer:,} tokens {longer ** 2:,} scores a head in place of "
            f"{trained ** 2:,}")


@computed("in-electra-only-6-percent-of-the-words-are-fake-why-does-it-work")
def _():
    masked, right = 15, 60
    fake = masked * (100 - right) // 100
    return (f"Of 100 words {masked} are masked", f"if {right} of 100 guesses are "
            f"right, and count as real, {fake} words are fake",
            "from 85.0 to 82.4, near BERT's 82.2",    # Clark et al. 2020, table 5
            f"right for {100 - fake} of 100 words", "the large model masks 25")


@computed("roberta-has-no-next-sentence-prediction-how-can-its-first-token-classify")
def _():
    assert "29.19 points. The mean of all words' vectors scores 54.81" in text("21")
    return "29.19 points", "54.81"


@computed("static-or-dynamic-masking-how-often-does-a-mask-come-back")
def _():
    copies, epochs = 10, 40
    return (f"copied {copies} times", f"read for {epochs} epochs",
            f"{epochs} / {copies} = {epochs // copies} times",
            "78.7 in place of 78.3 on SQuAD, but 84.0 in place of 84.3 on MNLI")


@computed("bert-masks-15-percent-of-the-words-what-happens-with-50-and-why-do-images-"
          "take-75")
def _():
    return ("15 is a habit", "did better with 40", "95 of 100 parts of the score "
            "with 80", "So 50 works", "from 83.28 to 81.27", "MAE takes 75")


@computed("i-need-only-one-pair-of-languages-a-small-bilingual-model-or-nllb")
def _():
    small = translator(512, 2048, 6, 58_101)        # opus-mt-en-de
    large = translator(1024, 4096, 6, 55_000)       # opus-mt-tc-big, about
    nllb = translator(1024, 4096, 12, 256_206)      # nllb-200-distilled-600M
    return (f"{small / 1e6:.0f} million parameters", f"about {round(large / 1e7)}0",
            f"smallest NLLB {nllb / 1e6:.0f}",
            f"{nllb * 2 / 1e9:.1f} GB in {torch.float16.itemsize * 8} bits",
            f"{nllb / small:.1f} times Opus-MT's parameters", "200 languages")


@computed("should-i-translate-with-a-large-language-model-or-with-a-translation-model")
def _():
    return ("models of 2023", "in 84.1 per cent of those tested",    # both abstracts
            "in all 55 languages")


@computed("opennmt-marian-or-hugging-face-for-a-beginner-does-the-bleu-differ")
def _():
    return "differ by 1.8 points",    # Post 2018, abstract


@computed("why-does-the-model-say-that-9-11-is-greater-than-9-9")
def _():
    assert not 9.11 > 9.9 and (9, 11) > (9, 9)    # as numbers, and as versions
    return f"9.11 does come after 9.9, {9.9:.2f} against 9.11".split(", ")


@computed("with-a-context-of-2-048-tokens-and-a-prompt-of-1-700-how-many-tokens-can-"
          "the-model-write")
def _():
    window, reserved = 4096, 4000
    return (f"It can write {2048 - 1700}",
            f"reserves {reserved:,} of {window:,} tokens for the answer leaves "
            f"{window - reserved} for the question")


@computed("why-does-a-model-answer-better-when-it-is-told-to-think-step-by-step")
def _():
    return "solved 40.7 of 100 school problems in place of 10.4",    # GSM8K


@computed("of-20-passages-in-my-prompt-the-model-does-not-find-those-in-the-middle-why")
def _():
    return ("With 20 passages", "in 75.8 of 100 cases with the answer in the first, "
            "53.8 in the tenth, 63.2 in the last")    # table 6


@computed("in-ppo-the-kl-divergence-in-my-log-is-negative-is-the-training-broken")
def _():
    policy, reference = torch.tensor([[0.5, 0.3, 0.2], [0.6, 0.2, 0.2]])
    ratio = (policy / reference).log()
    return (f"alone gives {short(ratio[policy.argmax()].item())}, and the true KL is "
            f"{short((policy @ ratio).item())}",)


@computed("most-models-are-trained-for-about-one-epoch-tinyllama-for-three-how-many-"
          "are-useful")
def _():
    fitted = 15.4    # Muennighoff et al. 2023, appendix A: 15.387756 repetitions

    def worth(epochs):
        return 1 + fitted * (1 - math.exp(-(epochs - 1) / fitted))
    assert "need not be read 18 times" in text("19")
    return ("up to 4 epochs", "after about 40, more are worthless",    # figure 1
            f"4 epochs are worth {worth(4):.1f} epochs of new text, 40 are worth "
            f"{worth(40):.1f}, and any number at most {worth(math.inf):.1f}",
            "repeated 100 times, 800 million parameters were only as good as 400",
            "18 over 29,000 pairs")


@computed("gemma-3-the-27b-model-in-4-bits-or-the-12b-model-in-16-bits")
def _():
    large, small = 27, 12
    # the table of llama.cpp's pull request 1684; Q2_K has 3.315 bits a weight
    half, four, three = 5.9066, 5.3002, 5.8545    # 7B F16; 13B Q4_K_M and Q2_K
    assert four < three < half
    return (f"{large} billion weights of half a byte are {large * 4 / 8} GB, about 17 "
            f"as a file, and {small} billion of {16 // 8} bytes are {small * 16 // 8}",
            "4 bits a weight were almost always best",
            f"LLaMA 13B has a perplexity (lower is better) of {four:.2f} with 4 bits "
            f"and {three:.2f} with about 3, LLaMA 7B {half:.2f} with 16",
            f"{large} / {small} = {large / small} times")


@computed("a-1b-model-trains-at-8-000-tokens-a-second-with-ddp-and-at-1-750-with-fsdp-"
          "which-one")
def _():
    weight = nn.Parameter(torch.zeros(1000))
    optimizer = torch.optim.Adam([weight])
    weight.grad = torch.ones(1000)
    optimizer.step()
    kept = [weight, weight.grad, *(state for state in optimizer.state[weight].values()
                                   if state.numel() == weight.numel())]
    size = sum(part.numel() * part.element_size() for part in kept) // 1000
    gathered, exchanged = 1 + 1 + 1, 2    # two collections and a sum; an all-reduce
    return (f"at {size} bytes a parameter, 1 billion need {size} GB",
            f"{gathered / exchanged} times the traffic",
            f"2 texts on each of 4 GPUs need 256 / (4 · 2) = {256 // (4 * 2)} "
            "such passes for 256 texts")


@computed("a-detector-says-that-my-student-s-essay-is-from-chatgpt-can-i-rely-on-it")
def _():
    honest, cheating = 500, 20
    accused, caught = honest // 100, cheating // 2
    return (f"1 false alarm in 100 accuses {accused} of {honest} honest writers; if "
            f"{cheating} others cheat and half are found, {accused} of "
            f"{accused + caught} flagged", "from 70.3 to 4.6 of 100")


@computed("whisper-writes-thanks-for-watching-where-nobody-speaks-why")
def _():
    return "above .6 and its mean log p below -1",    # transcribe's two thresholds


@computed("lora-on-q-proj-and-v-proj-only-or-on-all-linear-layers-which-one-should-i-"
          "take")
def _():
    wide, keys, inner, rank, layers = 8192, 1024, 28_672, 8, 80    # Llama 2 70B

    def added(rows, columns):
        return nn.Linear(rows, rank).weight.numel() + nn.Linear(
            rank, columns).weight.numel()
    few = layers * (added(wide, wide) + added(wide, keys))
    full = 2 * few + layers * (2 * added(wide, inner) + added(inner, wide))
    return (f"at [rank {rank}]", f"a Llama of 70 billion gets {full / 1e6:.1f} million "
            f"({short(100 * full / 70e9)} per cent) instead of {few / 1e6:.1f}",)


@computed("which-learning-rate-do-i-take-for-lora-5e-6-or-1e-4")
def _():
    steps, rate = 100, 5e-6
    weight = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.Adam([weight], lr=rate)
    for _ in range(steps):
        weight.grad = torch.ones(1)
        optimizer.step()
    return ("Begin with 1e-4 to 2e-4", "1e-5 to 2e-5 is usual",
            f"after {steps} updates at 5e-6, B is at most about "
            f"{short(weight.abs().item(), 4)}")


@computed("instructgpt-ranks-4-to-9-answers-and-puts-all-pairs-into-one-batch-element-"
          "how-many-pairs-are-these-and-why")
def _():
    few, many = (len(torch.combinations(torch.arange(k))) for k in (4, 9))
    return (f"K (K - 1) / 2 pairs: {few} for K = 4, and {many} for K = 9",
            f"up to {9 - 1} times in an epoch",
            f"takes 9 passes in place of 2 · {many} = {2 * many}")


@computed("which-max-seq-length-do-i-take-for-fine-tuning-bert-128-384-or-512")
def _():
    return "BERT's maximum is 512", "384 is usual for SQuAD"    # run_squad.py


@computed("squad-reports-f1-and-em-what-is-the-em-score-and-how-is-f1-computed-from-an-"
          "answer")
def _():
    predicted, reference = {"in", "paris", "france"}, {"paris", "france"}
    common = len(predicted & reference)
    p, r = common / len(predicted), common / len(reference)
    return ("F1 is 2 p r / (p + r)",
            f"p = {common}/{len(predicted)} and r = {r:.0f}, so F1 is "
            f"{short(2 * p * r / (p + r), 1)} and EM is {predicted == reference:d}")


@computed("how-do-1-000-000-steps-of-bert-make-40-epochs-over-3-3-billion-words")
def _():
    steps, batch, corpus = 1_000_000, 256, 3.3e9
    told = steps * batch * 512
    done = steps * batch * (9 * 128 + 512) // 10
    return (f"{batch} · 512 = {batch * 512:,} tokens a step, times {steps:,}, are "
            f"{told / 1e9:.0f} billion, and {told / 1e9:.0f} / {corpus / 1e9} is about "
            f"{told / corpus:.0f}", "In 90 of 100 steps sequences had 128 tokens",
            f"these are {done / 1e9:.0f} billion tokens, {done / corpus:.0f} passes")


@computed("why-is-the-file-of-the-13b-model-smaller-than-that-of-the-7b-model")
def _():
    single, half = torch.float32.itemsize, torch.bfloat16.itemsize
    return (f"7 billion parameters in float32 ({single} bytes) are {7 * single} GB, "
            f"and 13 billion in bfloat16 ({half} bytes) are {13 * half} GB",
            f"the 7B model takes {7 * half} GB")


@computed("what-are-the-175-billion-parameters-of-gpt-3")
def _():
    d, layers, places = 12_288, 96, 2048
    small = 64
    layer = nn.TransformerEncoderLayer(small, 4, 4 * small, bias=False)
    attention = sum(part.numel() for part in layer.self_attn.parameters())
    inner = layer.linear1.weight.numel() + layer.linear2.weight.numel()
    assert (attention, inner) == (4 * small ** 2, 8 * small ** 2)
    assert round((layers * 12 * d * d + (50_257 + places) * d) / 1e9) == 175
    return (f"about {(attention + inner) // small ** 2} d²: {attention // small ** 2} "
            "d² in attention (query, key, value, output) and "
            f"{inner // small ** 2} d² in the feed-forward",
            f"{layers} layers with d = {d:,}",
            f"have {layers * 12 * d * d / 1e9:.0f} billion, and 50,257 embeddings add "
            f"{short(50_257 * d / 1e9, 1)} billion",
            f"table of {places:,} positions, {short(places * d / 1e9, 3)} billion")
