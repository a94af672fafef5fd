"""The numbers of book/asked/training.md: each function returns what must stand in the
answer with its anchor."""

import math
import warnings

import pytest
import torch
import torch.nn.functional as F
from asked_numbers import kept_checkpoints, output, results, row, text
from asking import computed
from softdict.training import inverse_sqrt
from torch import nn


@computed("loss-becomes-nan-with-float16-and-not-with-float32")
def _():
    half, brain = torch.finfo(torch.float16), torch.finfo(torch.bfloat16)
    assert f"{brain.max:.1e}" == f"{torch.finfo(torch.float32).max:.1e}" == "3.4e+38"
    assert torch.tensor([65519.0, 65520.0]).half().tolist() == [half.max, math.inf]
    return (f"{half.max:,.0f}", "65,520 or more", f"{brain.max:.1e}".replace("+", ""),
            f"{brain.eps:.4f}"[1:], f"{half.eps:.5f}"[1:])


@computed("gradient-overflow-skipping-step-is-my-training-broken")
def _():
    first = 2 ** 16    # GradScaler's default, if a GPU is there
    halvings = next(n for n in range(99) if first / 2 ** n == 1)
    return f"{first:,}", f"{halvings} halvings to reach 1"


@computed("what-should-the-first-loss-be")
def _():
    sizes = 14, 65, 30_522, 50_257
    assert "2.64" in text("15")
    words, letters, bert, gpt = (f"{math.log(size):.2f}" for size in sizes)
    return (f"{words} for {sizes[0]} words", f"{letters} for [{sizes[1]} characters]",
            f"{bert} for BERT's {sizes[2]:,} pieces", f"{gpt} for GPT-2's {sizes[3]:,}")


@computed("why-do-i-get-the-same-output-for-different-input")
def _():
    assert "With the wrong sign, the loss stays near 2:" in text("15")
    return ("near 2",)


@computed("validation-perplexity-goes-up-after-ten-epochs")
def _():
    few = results("keeping-300")[0]
    assert few["iid"]["loss"][-1] > min(few["iid"]["loss"]) + 0.3
    assert "the same model on 300 of the 8,000 pairs" in text("05")
    return "300 pairs", "8,000"


@computed("validation-loss-rises-and-bleu-still-improves")
def _():
    kept = kept_checkpoints("keeping-300")
    wrong = [line.split()[-1] for line in output("05", "keeping-table").splitlines()
             if line.startswith("300 ")]
    return ("trainings on 300 pairs", f"{kept['loss']:.1f} BLEU",
            f"checkpoint {kept['last']:.1f}", f"from {wrong[0]} to {wrong[-1]}")


@computed("which-checkpoint-should-i-keep")
def _():
    gains, counts = [], (300, 1000, 3000)
    for name in (*counts, "transformer"):
        kept = kept_checkpoints(f"keeping-{name}")
        gains.append(f"{kept['bleu'] - kept['loss']:.1f}".removeprefix("0"))
    return ("{}, {} and {} points with {:,}, {:,} and {:,} pairs".format(
        *gains[:3], *counts), f"gained {gains[3]}")


@computed("does-averaging-the-last-checkpoints-help")
def _():
    return ("last five checkpoints", "10 minutes apart", "the last 20 of its big one",
            "between .1 and 1 BLEU")    # the thread's users


@computed("with-label-smoothing-the-loss-never-reaches-zero")
def _():
    floors, smoothing = [], 0.1
    for size in (4, 442, 1000, 37_000):
        target = torch.full((size,), smoothing / size, dtype=torch.float64)
        target[0] += 1 - smoothing
        floors.append(f"{-(target * target.log()).sum():.3f}".removeprefix("0"))
    assert floors[1][:4] in output("15", "smooth-floor")
    return [f"With a smoothing of {f'{smoothing}'[1:]} the floor is " +
            "{} for 4 words, {} for 442, {} for 1,000 and {} for 37,000"
            .format(*floors)]


@computed("should-pads-count-in-the-loss-and-the-perplexity")
def _():
    real, pads = -math.log(0.2), 15
    mean = 5 * real / (5 + pads)
    return (f"{real:.2f} and {pads} pads", f"{mean:.2f}"[1:],
            f"from {math.exp(real):.0f} to {math.exp(mean):.1f}")


@computed("should-i-shift-the-labels-myself")
def _():
    ids = list("abcd")
    shifted = ids[1:]
    learned = list(zip(ids, shifted[1:]))    # the library shifts what it gets
    return ["{} → {}".format(*pair) for pair in learned]


@computed("validation-accuracy-is-high-and-translation-is-worse")
def _():
    assert "With the teacher, about 85 of 100 words are right." in text("05")
    assert "> (b) about 70" in text("05") and "It is (b): fewer than" in text("05")
    return "85 of 100", "about 70"


@computed("changing-lr-does-not-change-the-learning-rate")
def _():
    weight, rate = nn.Parameter(torch.ones(1)), 7e-4
    optimizer = torch.optim.Adam([weight], lr=rate)
    torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate)
    return ".0007", f"{optimizer.param_groups[0]['lr']:.1e}"


@computed("why-is-the-noam-rate-multiplied-by-the-root-of-the-width")
def _():
    def rate(n, width):
        return width ** -0.5 * min(n ** -0.5, n * 4000 ** -1.5)
    peak = rate(4000, 512)
    assert math.isclose(inverse_sqrt(4000, 4000, peak), peak, rel_tol=1e-3)
    assert math.isclose(4000 ** 0.5 * min(4000 ** -0.5, 4000 * 4000 ** -1.5), 1)
    return (r"$d^{-1/2} \cdot \min(n^{-1/2}, n \cdot 4000^{-3/2})$",
            f"update 4,000, that is {f'{peak:.5f}'[1:]} for width 512 and "
            f"{f'{rate(4000, 1024):.5f}'[1:]} for 1,024", "replaces $d^{-1/2}$ by",
            "*0.0 cannot be raised to a negative power*")


@computed("how-many-warm-up-steps-should-i-choose")
def _():
    bert, paper = (10_000, 1_000_000), (4_000, 100_000)
    assert "climbs for 4,000 updates" in text("15")
    return (*(f"{few:,} of {many:,}, {100 * few // many} of 100"
              for few, many in (bert, paper)), "sections 5.2 and 5.3",
            "takes 6 to 10 of 100; RoBERTa took 6")


@computed("is-gradient-clipping-needed-with-adam")
def _():
    strange = 100.0

    def after(clip):
        number = nn.Parameter(torch.zeros(1))
        optimizer = torch.optim.Adam([number], lr=1.0)
        for update in range(1, 41):
            number.grad = torch.tensor([strange if update == 11 else -1.0])
            if clip:
                nn.utils.clip_grad_norm_([number], 1.0)
            optimizer.step()
        return number.item()

    units = [line.split()[-1] for line in output("15", "freak").splitlines()]
    ratio = after(True) / after(False)
    assert math.isclose(ratio, int(units[0]) / int(units[1]), rel_tol=0.05)
    return (f"gradient of +{strange:.0f}", f"at {units[1]} thousandths after 40",
            f"reaches {units[0]} thousandths")


@computed("with-float16-and-clipping-the-loss-falls-very-slowly-why")
def _():
    weight, weights, eps = nn.Parameter(torch.ones(4)), 65e6, 1e-8
    optimizer, scaler = torch.optim.Adam([weight]), torch.amp.GradScaler("cpu")
    assert optimizer.param_groups[0]["eps"] == eps
    scaler.scale((3 * weight).sum()).backward()
    scale = scaler.get_scale()
    assert nn.utils.clip_grad_norm_([weight], 1.0) == 6 * scale == 393_216
    scaler.unscale_(optimizer)
    left = weight.grad.norm().item()
    each = left / weights ** 0.5
    return (f"the loss scale, {scale:,.0f} at first", "as one vector, to a length of 1",
            f"divides this by {scale:,.0f}, and {left:.1e} is left",
            f"{weights / 1e6:.0f} million weights that is {each:.1e} each",
            f"adds {eps:.0e} to",
            f"only {f'{each / (each + eps):.2f}'[1:]} of the full")


@computed("does-weight-decay-apply-to-biases-and-layer-norms")
def _():
    biases, whole = (int(number.replace(",", "").rstrip(":"))
                     for number in output("22", "biases").split()[0:3:2])
    gains = (12 * 2 + 1) * 768
    share = (biases + gains) / whole
    return (f"{biases + gains:,} of {whole:,}", f"{100 * share:.1f} of 100",
            "a decay of .01 to .1")


@computed("a-huge-weight-decay-makes-no-difference")
def _():
    weight, rate, decay, updates = nn.Parameter(torch.ones(1)), 0.001, 0.1, 1000
    optimizer = torch.optim.AdamW([weight], lr=rate, weight_decay=decay)
    weight.grad = torch.zeros(1)
    optimizer.step()
    first = weight.item()
    for _ in range(updates - 1):
        optimizer.step()
    return (f"rate of {f'{rate}'[1:]} and a decay of {f'{decay}'[1:]} that is "
            f"{f'{first:.4f}'[1:]}, and after {updates:,} updates "
            f"{f'{weight.item():.3f}'[1:]}",)


@computed("gradient-accumulation-gives-another-loss-than-the-full-batch")
def _():
    few, many, high, low = 2, 8, 5, 1
    return (f"part of {few} words with a loss of {high} and a part of {many} words "
            f"with {low} have the mean {(few * high + many * low) / (few + many):.1f}",
            f"{(high + low) / 2:.1f}")


@computed("does-a-batch-size-of-4096-mean-sentences")
def _():
    batch, pieces = 25_000, 25
    return (f"{batch:,}", f"With {pieces} pieces", f"{batch // pieces:,} sentences",
            "4,096 pieces", "160,000 pairs")


@computed("how-do-i-imitate-eight-gpus-with-one")
def _():
    fits, wanted = 3_125, 25_000
    return (f"{fits:,} pieces", f"want {wanted:,}", f"of {wanted // fits} batches",
            ".0006 in nanoGPT", "between 7 and 8")


@computed("how-should-the-rate-change-with-the-number-of-gpus")
def _():
    rows = 512
    return (f"with {rows} rows each see {2 * rows:,}",)


@computed("two-gpus-give-another-result-than-one")
def _():
    few, many, high, low = 3, 9, 4, 2
    mean = (high * few + low * many) / (few + many)
    return (f"Losses of {high} over {few} words and of {low} over {many} words",
            f"{mean:.1f} per word", f"{(high + low) / 2:.0f} as a mean")


@computed("why-is-an-lstm-s-hidden-state-carried-to-the-next-batch-but-detached")
def _():
    lstm, state = nn.LSTM(2, 3), None
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        for piece in torch.randn(2, 5, 1, 2):
            output, state = lstm(piece, state)
            output.sum().backward()
    return ()


@computed("does-no-grad-replace-eval")
def _():
    torch.manual_seed(0)
    zeros = (F.dropout(torch.ones(10_000), 0.5, training=True) == 0).float().mean()
    assert 0.45 < zeros < 0.55
    return ("half of the numbers",)


@computed("the-same-code-gives-another-bleu-with-each-run")
def _():
    shares = row("16", "seeds-run", "Transformer, added:")
    spread = output("16", "seeds-run").split("of five: ")[1].split()[0]
    return f"{min(shares)} to {max(shares)} of 100", spread[1:]


@computed("i-cannot-reach-the-bleu-of-the-paper-with-the-same-model")
def _():
    assert "1.8 points ([Post 2018]" in text("19")
    assert "with .6, as in [Vaswani et al. 2017]" in text("17")
    assert "used a beam of four" in text("17")
    return ("1.8 points", "it gives one model 29.3, and sacrebleu gives 28.6",
            "beam of 4 with a length penalty of .6", "the test of 2014",
            "37,000 shared pieces, and each of 100,000 updates (4,000 of warm-up) had "
            "25,000 pieces per language")


@computed("how-many-sentence-pairs-do-i-need")
def _():
    last = [f"{kept_checkpoints(f'keeping-{count}')['last']:.1f}"
            for count in (300, 1000, 3000)]
    captions = output("19", "scores").splitlines()[1].split()[1]
    return ("{} BLEU with 300 pairs, {} with 1,000 and {} with 3,000".format(*last),
            f"29,000 pairs of Multi30k, captions of photographs, give a Transformer "
            f"{captions}", "the paper had 4.5 million for English-German")


@computed("what-sizes-should-my-model-have-with-little-data")
def _():
    weights = output("19", "records").split()[0]
    assert "The width is 256, twice that of the model that [chapter 15]" in (
        text("19"))
    assert "29,000 pairs are few, so [dropout]" in text("19")
    return ("29,000 real pairs", "width 256", "dropout .3",
            f"{weights} million weights", "For 160,000 pairs",
            "has width 512, feed-forward width 1,024", "dropout .3",
            "65 million weights for 4.5",
            "table 3 and section 5.1")


@computed("dropout-0-1-or-0-3-which-one-for-a-transformer")
def _():
    assert "29,000 pairs are few, so [dropout]" in text("19")
    return ("base model has .1, its big one .3 for 4.5 million English-German pairs",
            "36 million English-French pairs the big one has .1",
            "table 3, sections 5.1 and 6.1", "such as 160,000, .3 and higher",
            "read once, 0 to .1")


@computed("is-a-block-size-of-2048-better-than-1024-and-what-does-it-cost")
def _():
    weights, layers, width = 124_439_808, 12, 768

    def update(block):    # operations for one text: weights, scores and their sums
        return block * (6 * weights + 12 * layers * width * block)
    return (f"GPT-2's {weights // 10 ** 6} million weights an update takes "
            f"{update(2048) / update(1024):.2f} times the operations",
            "scores need four times", "do not fit into 1,024 places")


@computed("how-much-memory-does-training-need-for-each-parameter")
def _():
    model = nn.Linear(10, 10)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 10)).sum().backward()
    optimizer.step()
    kept = sum(4 * number.numel() for part in optimizer.state.values()
               for name, number in part.items() if name != "step")
    weights = sum(4 * number.numel() for number in model.parameters())
    each = 4 * (weights + weights + kept) // weights
    means = 4 * kept // weights
    return (f"{each} bytes", f"4 for the weight, 4 for its gradient, {means} for two",
            f"124 million need {each * 124_439_808 / 1e9:.2f} GB",
            f"a billion {each} GB", f"are 2 + 2 + 4 + {means} bytes, {8 + means} again",
            f"alone {torch.float32.itemsize} bytes are enough, "
            f"{torch.float16.itemsize} in float16")


@computed("out-of-memory-what-do-i-change-first")
def _():
    adam = 4 + 4 + 8
    return (f"512 words have {512 ** 2 // 256 ** 2} times as many as 256",
            f"[{adam} bytes a parameter]", "an 8-bit optimiser")


@computed("my-training-log-shows-an-mfu-of-8-percent-which-value-is-normal")
def _():
    weights, layers, width, block = 124_439_808, 12, 768, 1024
    word = 6 * weights + 12 * layers * width * block
    told, a100, rtx = 8, 312e12, 71e12
    return (f"GPT-2's {weights // 10 ** 6} million weights and texts of {block:,} "
            f"words that is {f'{word / 1e9:.2f}'[1:]} billion a word: 6 for each",
            "30 to 50 of 100 are good: PaLM reports 46.2, and 21.3 for GPT-3",
            "table 3", f"A100's {a100 / 1e12:.0f}e12 a second",
            f"RTX 3090's {rtx / 1e12:.0f}e12 (16 bits",
            f"{told} percent becomes {told * a100 / rtx:.0f}")


@computed("how-long-will-my-training-take")
def _():
    operations = 6 * 65e6 / 2 * 100_000 * 50_000
    found = f"{operations:.1e}".replace("e+", "e")
    assert f"{operations:.1e}" in output("16", "paper-cost")
    hours = operations / (312e12 / 3) / 3600    # an A100's peak in 16 bits, a third
    return (found, "65 million", "50,000 words", f"{hours:.1f} hours for one A100",
            "100,000 updates, in 12 hours on eight P100")

@computed("detected-call-of-lr-scheduler-step-before-optimizer-step-what-goes-wrong")
def _():
    def rates(early):
        optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)
        found = []
        for _ in range(2):
            for step in (scheduler, optimizer) if early else (optimizer, scheduler):
                if step is optimizer:
                    found.append(optimizer.param_groups[0]["lr"])
                step.step()
        return found
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "Detected call of `lr_scheduler.step")
        right = rates(early=False)
        with pytest.raises(UserWarning):
            rates(early=True)
        warnings.simplefilter("ignore")
        wrong = rates(early=True)
        weight = nn.Parameter(torch.ones(1))
        optimizer, scaler = torch.optim.SGD([weight]), torch.amp.GradScaler("cpu")
        scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)
        scaler.scale((1e38 * weight).sum()).backward()
        scaler.step(optimizer)
        warnings.filterwarnings("error", "Detected call of `lr_scheduler.step")
        with pytest.raises(UserWarning):
            scheduler.step()
    assert right[1:] == wrong[:1]
    return (f"begin with {f'{wrong[0]}'[1:]}, and not with {right[0]:.0f}",
            f"a warm-up of {1000:,} steps lasts {1000:,} epochs")


@computed("my-gpt-has-a-loss-of-3-1-are-3-0-and-2-9-much-better-and-is-it-worth-some-more-"
          "days")
def _():
    before, after, small, medium = math.exp(3.0), math.exp(2.9), 3.12, 2.84
    return (f"{3.0 - 2.9:.1f} less"[1:], "from 3.0 to 2.9",
            f"about {100 * (1 - after / before):.0f} percent",
            f"from {before:.1f} to {after:.1f}", f"{small - medium:.2f} lies"[1:],
            f"with {small}", f"with {medium}")


@computed("nanogpt-on-tiny-shakespeare-which-loss-does-it-begin-with-and-which-is-good")
def _():
    characters, train, rows, block, updates = 65, 1_003_854, 64, 256, 5_000
    passes = updates * rows * block / train
    return (f"With {characters} characters",
            f"about ln {characters} = {math.log(characters):.2f}",
            "A good validation loss is 1.47, from six layers of width 384",
            "four of width 128 reach 1.88", "At 1.47 the text",
            f"{updates:,} updates of {rows} · {block} characters",
            f"training part (nine tenths) {passes:.0f} times")


@computed("my-language-model-predicts-only-50-percent-of-the-next-words-right-in-training-"
          "is-that-normal")
def _():
    return ("100 percent on new text", "people guessed 29 of 100 next pieces",
            "GPT-3 guessed 49", "Nearly 100 percent")


@computed("must-the-batch-size-be-a-power-of-two")
def _():
    tried, multiple, power = 52, 48, 64
    assert tried & (tried - 1) and multiple & (multiple - 1) and not power & (power - 1)
    assert tried % 8 and not multiple % 8
    return f"{tried} is as good as {multiple} or {power}", "multiples of 8 or 64"
