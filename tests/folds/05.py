"""Chapter 05: the code of *In short* against one update of softdict.training.fit.

The code has no encoder. The package's gets weights of 0 and is not trained, so that its
last state is 0, and so is the context that the decoder reads.
"""

import torch
from softdict.seq2seq import Decoder, Encoder, Seq2Seq
from softdict.training import fit

D, RATE = 64, 0.004


def compare(names):
    # the update is taken back, so that the package may start from the same weights
    fresh = [after.detach() - step(after.grad) for after in names["w"]]
    model = Seq2Seq(Encoder(9, D, D), Decoder(9, D, D))
    theirs = [*model.decoder.embedding.parameters(), *model.decoder.rnn.parameters(),
              *model.generator.parameters()]
    assert len(theirs) == len(fresh) == len(list(names["model"].parameters()))
    with torch.no_grad():
        for weight in model.encoder.parameters():
            weight.zero_().requires_grad_(False)
        for weight, mine in zip(theirs, fresh):
            own(weight, mine).copy_(mine)
    row = names["row"].tolist()
    assert row[0] == 2 and row[-1] == 3    # <bos>, <eos>
    [loss] = fit(model, [([4, 5], row[1:-1])], updates=1, peak_rate=RATE)
    theirs_loss = torch.tensor(loss)
    torch.testing.assert_close(names["value"], (theirs_loss, theirs_loss.exp()))
    length = torch.stack([mine.grad.norm() for mine in names["w"]]).norm()
    torch.testing.assert_close(length, torch.tensor(1.0))    # it had to be clipped
    for weight, mine in zip(theirs, names["w"]):
        average = names["adam"].state[mine]["exp_avg"]    # clipped before, not after
        torch.testing.assert_close(10 * average, mine.grad)
        torch.testing.assert_close(own(weight.grad, mine), mine.grad)
        torch.testing.assert_close(own(weight, mine), mine, rtol=1e-4, atol=1e-5)


def step(gradient):
    """What Adam's first update adds: its averages are the gradient and its square."""
    return -RATE * gradient / (gradient.abs() + 1e-8)


def own(weight, mine):
    """The part of the package's weight that the code has: all but the context's."""
    return weight[..., :mine.shape[-1]]
