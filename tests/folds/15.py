"""Chapter 15: the code of *In short* against softdict.training, update by update."""

import torch
from softdict.training import Settings, TrainingState, token_loss, update
from torch import nn


class Batch:
    words = 5

    def parts(self, count):
        return [self]


def compare(names):
    torch.manual_seed(torch.initial_seed())    # the weights with which the code began
    model = nn.Embedding(9, 9, _weight=torch.rand(9, 9))
    settings = Settings(peak_rate=0.1, clip=0.1, warmup=20, schedule="inverse_sqrt")
    training = TrainingState(model, settings)
    for _ in range(100):
        record = update(training, Batch(), lambda model, part, settings: token_loss(
            model(names["reads"]), names["says"]))
        training.history.append(record)    # its length says which update is next
    torch.testing.assert_close(torch.tensor(record["loss"]), names["value"].detach(),
                               rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(model.weight, names["W"], rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(model.weight.grad, names["W"].grad, rtol=1e-2, atol=1e-5)
