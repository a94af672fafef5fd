"""The Transformer leaves PyTorch: its encoder and its cached decoder step as ONNX, run
by onnxruntime."""

import numpy
import pytest
import torch
from torch import nn

from softdict.cache import DecoderCache
from softdict.masks import padding_mask
from softdict.transformer import TransformerConfig
from softdict.variants import make_variant
from softdict.vocab import PAD

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxscript")


class Reader(nn.Module):
    """Source in; where it has words out, and what each decoder layer asks of it.

    that is a key and a value for cross-attention, layer by layer
    """

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, source, lengths):
        cache = self.model.start(source, lengths)
        return cache.memory_allowed, *(part for pair in cache.memory for part in pair)


class Step(nn.Module):
    """One word and a cache in; scores of the next word and what is to be kept out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, allowed, *kept):
        pairs = list(zip(kept[::2], kept[1::2]))
        layers = len(pairs) // 2
        cache = DecoderCache(pairs[:layers], allowed, pairs[layers:])
        logits, cache = self.model.step(ids, cache)
        return logits, *(part for pair in cache.past for part in pair)


def exported(module, arguments, axes, path):
    """An onnxruntime session of a module; axes names the free axes of each argument."""
    torch.onnx.export(module, arguments, path, dynamo=True, dynamic_shapes=axes,
                      verbose=False)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def run(session, *arguments):
    names = [part.name for part in session.get_inputs()]
    given = {name: value.numpy() for name, value in zip(names, arguments, strict=True)}
    return [torch.from_numpy(numpy.array(part)) for part in session.run(None, given)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("encoding, layers", [("sinusoidal", 2), ("rotary", 1)])
def test_encoder_and_cached_step_equal_torch(encoding, layers, tmp_path):
    torch.manual_seed(0)
    model = make_variant(20, 30, TransformerConfig(12, 3, layers, 40), encoding).eval()
    batch, size, before = (torch.export.Dim.AUTO for _ in range(3))
    source, lengths = torch.randint(4, 20, (3, 7)), torch.tensor([4, 7, 5])
    with torch.no_grad():
        encoder = exported(Reader(model), (source, lengths),
                           ({0: batch, 1: size}, {0: batch}),
                           tmp_path / "encoder.onnx")
        allowed, *kept = Reader(model)(source, lengths)
        past = [torch.randn(3, 3, 4, 4) for _ in range(2 * layers)]
        kept_axes = ([{0: batch, 2: size}] * (2 * layers)
                     + [{0: batch, 2: before}] * (2 * layers))
        step = exported(Step(model), (torch.tensor([5, 6, 7]), allowed, *kept, *past),
                        ({0: batch}, {0: batch, 2: size}, tuple(kept_axes)),
                        tmp_path / "step.onnx")

        # other sizes than those of the export: two sentences, nine and six words,
        # written from the first word on
        source, lengths = torch.randint(4, 20, (2, 9)), torch.tensor([9, 6])
        source = source.masked_fill(~padding_mask(lengths, 9), PAD)
        allowed, *kept = run(encoder, source, lengths)
        target = torch.randint(4, 30, (2, 5))
        wanted = model(source, lengths, target)
        past = [torch.zeros(2, 3, 0, 4) for _ in range(2 * layers)]
        for t in range(5):
            logits, *past = run(step, target[:, t], allowed, *kept, *past)
            torch.testing.assert_close(logits, wanted[:, t], rtol=0, atol=1e-4)
