"""The numbers of book/asked/shapes_and_types.md: each function returns what must stand
in the answer with its anchor."""

import torch
from asking import computed


@computed("shape-12-320-51-is-invalid-for-input-of-size-196608-which-of-the-numbers-is-"
          "wrong")
def _():
    heads, width = 10, 512
    each = width // heads
    return (f"here it is {12 * 32 * heads * each:,}, because {heads} times {each} is "
            f"{heads * each}, not {width}"),


@computed("expected-target-dtype-to-be-long-or-byte-but-got-float-older-expected-"
          "scalar-type-long-in-cross-entropy-which-tensor-do-i-convert")
def _():
    assert torch.tensor(0.7).long() == 0
    # the release notes of NumPy 2.0: the default integer of Windows is now int64
    return "probabilities such as .7 become 0", "NumPy before 2.0 makes on Windows"


@computed("all-elements-of-input-should-be-between-0-and-1-from-bceloss-is-my-data-not-"
          "scaled")
def _():
    twice = torch.tensor([-1e4, 1e4]).sigmoid().sigmoid()
    low, high = (f"{number:.2f}".strip("0") for number in twice.tolist())
    return f"between {low} and {high}",


@computed("given-groups-1-weight-of-size-768-3-16-16-expected-input-1-1-224-"
          "224-to-have-3-channels-but-got-1-channels-instead-what-does-my-"
          "vit-want")
def _():
    # 4: red, green, blue and how opaque a point is
    return "*Got 4 channels* mostly means a PNG file",


@computed("esm-2-gives-two-vectors-more-than-my-protein-has-residues-which-rows-"
          "and-which-layer-do-i-take")
def _():
    layers, width, tokens = 33, 1280, 1024
    block = 4 * width ** 2 + 2 * width * 4 * width
    return (f"{layers} in the model of {round(layers * block / 1e6, -1):.0f} million",
            f"width {width:,}", f"at most {tokens:,} tokens")
