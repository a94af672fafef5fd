"""Chapter 08: the code of *In short* against the scores of softdict.attention."""

import torch
from softdict.attention import Additive, General, attention, scaled_dot
from softdict.lookup import dot


def compare(names):
    query, key, U = names["query"], names["key"], names["U"]
    general, additive = General(8, 8), Additive(8, 8)
    with torch.no_grad():
        general.query_layer.weight.copy_(names["W"].weight)
        additive.query_layer.weight.copy_(names["W"].weight)
        additive.energy_layer.weight.copy_(names["v"].weight)
    theirs = torch.stack([    # the values are not compared here
        attention(query, keys, key, score=score)[1] for score, keys in (
            (dot, key), (scaled_dot, key), (general, key), (additive, U(key)))])
    torch.testing.assert_close(theirs, names["value"])
    of_w, of_u, of_v = gradients(names["value"], [names[name].weight for name in "WUv"])
    once, twice, of_keys, judged = gradients(theirs, [
        general.query_layer.weight, additive.query_layer.weight, U.weight,
        additive.energy_layer.weight])
    torch.testing.assert_close([of_w, of_u, of_v], [once + twice, of_keys, judged])


def gradients(values, weights):
    return torch.autograd.grad(values.square().sum(), weights)
