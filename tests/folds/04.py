"""Chapter 04: the code of *In short* against softdict.seq2seq.

The package's encoder reads in two directions. Its backward half gets weights of 0, so
that its states stay 0, and so does all that the decoder makes of them.
"""

import torch
from softdict.seq2seq import Decoder, Encoder, Seq2Seq
from torch.nn.functional import cross_entropy

D = 8


def compare(names):
    mine = {name: names[name] for name in ("english", "french", "encoder", "decoder",
                                           "generator")}
    model = Seq2Seq(Encoder(9, D, 2 * D), Decoder(9, D, 2 * D))
    theirs = {"english": model.encoder.embedding, "french": model.decoder.embedding,
              "encoder": model.encoder.rnn, "decoder": model.decoder.rnn,
              "generator": model.generator}
    with torch.no_grad():
        for part in theirs.values():
            for weight in part.parameters():
                weight.zero_()
        for name, part in mine.items():
            for key, weight in part.named_parameters():
                places(theirs[name].get_parameter(key), name, key).copy_(
                    gates(weight, key))
    logits = model(names["source"][None], torch.tensor([3]), names["reads"][None])
    torch.testing.assert_close(logits[0], names["logits"])
    loss = cross_entropy(logits[0], names["says"])
    torch.testing.assert_close(loss, names["value"])
    assert names["reads"][0] == 2 and names["says"][-1] == 3    # <bos>, <eos>
    loss.backward()
    names["value"].backward()
    for name, part in mine.items():
        for key, weight in part.named_parameters():
            grad = theirs[name].get_parameter(key).grad
            torch.testing.assert_close(places(grad, name, key), gates(weight.grad, key))


def gates(weight, key):
    """The weights of an RNN with its three gates on an axis of their own."""
    return weight.unflatten(0, (3, D)) if key.endswith("_l0") else weight


def places(weight, name, key):
    """Where the code's weights stand within the package's wider ones."""
    if name == "encoder":
        return weight.unflatten(0, (3, D))
    if name == "decoder":
        weight = weight.unflatten(0, (3, 2 * D))[:, :D]
        return weight if key.startswith("bias") else weight[
            ..., :2 * D if "_ih_" in key else D]
    return weight[:, :D] if name == "generator" and key == "weight" else weight
