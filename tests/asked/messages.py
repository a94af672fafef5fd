"""The numbers of book/asked/messages.md: each function returns what must stand in the
answer with its anchor."""

import io
import pickle

import torch
from asking import computed


@computed("probability-tensor-contains-either-inf-nan-or-element-0-when-i-sample-where-"
          "does-it-come-from")
def _():
    largest = torch.finfo(torch.float16).max
    halves = torch.tensor([largest, 2 * largest]).half()
    assert halves.isinf().tolist() == [False, True]
    return f"float16 overflow (above {largest:,.0f})",


@computed("attempting-to-deserialize-object-on-a-cuda-device-but-torch-cuda-is-available-"
          "is-false-how-do-i-load-the-model")
def _():
    return f"names *CUDA device {torch.device('cuda:3').index}*",


@computed("input-size-1-must-be-equal-to-input-size-expected-300-got-100-in-my-lstm-"
          "which-number-do-i-change")
def _():
    rnn, x = torch.nn.LSTM(300, 8), torch.randn(5, 2, 100)
    return (f"vectors of width {x.shape[2]} meet a layer made for {rnn.input_size}",
            f"trained for {rnn.input_size} do not fit")


@computed("dropout-argument-input-position-1-must-be-tensor-not-str-after-bert-where-"
          "does-a-string-come-from")
def _():
    return "since version 4, models of Hugging Face",


@computed("support-for-mismatched-key-padding-mask-and-attn-mask-is-deprecated-use-"
          "same-type-for-both-instead-what-is-mismatched")
def _():
    assert torch.tensor(True).float() == 1
    return "Some versions around 2.0 warned",    # issues 95702 and 96103 of pytorch


@computed("the-size-of-tensor-a-must-match-the-size-of-tensor-b-at-non-singleton-"
          "dimension-3-in-masked-fill-which-shape-must-my-mask-have")
def _():
    axes = ["batch", "heads", "queries", "keys"]
    return f"Dimension {axes.index('keys')} is the keys",


@computed("dataloader-worker-is-killed-by-signal-bus-error-it-is-possible-that-"
          "dataloader-s-workers-are-out-of-shared-memory-how-do-i-get-rid-of-it")
def _():
    return "only 64 MB by default",


@computed("for-1-0-0-0-my-own-layer-norm-gives-1-5-and-0-5-and-nn-layernorm-1-732-"
          "and-0-577-which-is-right")
def _():
    x, width = torch.tensor([1.0, 0, 0, 0], dtype=torch.float64), 512
    mean, variance = x.mean().item(), x.var(correction=0).item()
    paper, usual = variance ** 0.5, x.std().item()
    left = x[0].item() - mean
    wide = torch.randn(width)
    factor = (wide.std() / wide.std(correction=0)).item()
    assert abs(factor - (width / (width - 1)) ** 0.5) < 1e-6
    theirs = torch.nn.LayerNorm(4, dtype=torch.float64)(x)[0].item()
    assert abs(theirs - left / paper) < 1e-3

    def told(number, digits):
        return f"{number:.{digits}f}".replace("0.", ".", 1).rstrip("0")
    return (f"The mean is {told(mean, 2)}, the variance {told(variance, 4)} and the "
            f"standard deviation {told(paper, 3)}",
            f"1 becomes {told(left, 2)}/{told(paper, 3)} = {left / paper:.3f}",
            f"it gives {told(usual, 3)}, and 1 becomes "
            f"{told(left, 2)}/{told(usual, 3)} = {left / usual:.1f}",
            f"At width {width} the two results differ by a factor "
            f"√({width}/{width - 1}), {told(100 * (factor - 1), 1)} percent")


@computed("subtraction-the-operator-with-a-bool-tensor-is-not-supported-how-do-i-invert-my-"
          "mask-if-1-mask-raises-this-error")
def _():
    return "Before version 1.2 a comparison gave whole numbers (uint8)",    # its notes


@computed("value-cannot-be-converted-to-type-at-half-without-overflow-1e-09-why-does-"
          "masked-fill-fail-in-half-precision-and-which-value-do-i-take")
def _():
    half, *others = (torch.finfo(kind).max for kind in (
        torch.float16, torch.bfloat16, torch.float32))
    told = {f"reach to about {largest:.1e}".replace("e+", "e") for largest in others}
    return f"reaches only to {half:,.0f}", *told


@computed("sizes-of-tensors-must-match-except-in-dimension-2-expected-size-32-but-got-"
          "size-1-in-torch-cat-of-my-attention-decoder-which-tensor-is-wrong")
def _():
    output, state = torch.randn(32, 1, 8), torch.randn(1, 32, 8)
    try:
        torch.cat((output, output, output, state), dim=output.dim() - 1)
    except RuntimeError as error:
        told = str(error)
    assert "size 32 but got size 1 for tensor number 3 in the list" in told
    return ("*for tensor number 3 in the list*",
            f"glues along axis {output.dim() - 1} and",
            f"an axis has size {output.shape[0]}, in the fourth size {state.shape[0]}")


@computed("argument-size-must-be-tuple-of-ints-but-found-element-of-type-float-in-my-multi-"
          "head-attention-where-does-a-float-come-from")
def _():
    width, heads = 500, 8
    each = width // heads
    return (f"with a width of {width}, {heads} heads of {each} numbers hold only "
            f"{heads * each}",)


@computed("valueerror-attempting-to-unscale-fp16-gradients-may-i-not-train-in-float16")
def _():
    step = torch.finfo(torch.float16).eps
    assert torch.finfo(torch.bfloat16).eps > step
    assert torch.tensor(1.0, dtype=torch.float16) - 1e-4 == 1
    told = f"between 1 and 2 float16 has only steps of about {step:.3f}"
    return told.replace("0.", "."),


@computed("unpicklingerror-invalid-load-key-v-when-i-load-a-checkpoint-what-is-in-my-file")
def _():
    pointer, told = b"version https://git-lfs.github.com", ""
    try:
        torch.load(io.BytesIO(pointer), weights_only=True)
    except pickle.UnpicklingError as error:
        told = str(error)
    assert f"Unsupported operand {ord('v')}" in told
    assert told.startswith("Weights only load failed")
    return f"*Unsupported operand {ord('v')}* (*v* as a number)",


@computed("cannot-forward-sequence-of-length-1025-block-size-is-only-1024-"
          "when-my-gpt-writes-how-do-i-get-longer-texts")
def _():
    rows = 1024    # GPT-2's places
    return f"has {rows:,} rows, so word {rows + 1:,} has no row",
