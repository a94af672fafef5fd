"""The same layer twice, ours and torch's, with the same weights: how far apart are
their answers and gradients?"""

import torch

NAMES = {"out": "out_proj", "self_attention": "self_attn",
         "cross_attention": "multihead_attn", "feed_forward.up": "linear1",
         "feed_forward.down": "linear2"}    # ours: theirs


def draw(seed, *shape, dtype=torch.float64):
    """Random normal numbers: the same ones in every type."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed),
                       dtype=torch.float64).to(dtype)


def renamed(parts):
    """Our parameters, or their gradients, by the names of torch's layers, which stack
    query, key and value."""
    theirs = {}
    for name, part in parts.items():
        for ours, other in NAMES.items():
            name = name.replace(f"{ours}.", f"{other}.")
        theirs[name] = part
    for name in [name for name in theirs if "query." in name]:
        rows = [theirs.pop(name.replace("query", kind))
                for kind in ("query", "key", "value")]
        theirs[name.replace("query.", "in_proj_")] = torch.cat(rows)
    return theirs


def differences(left, right, inputs, ours=None, theirs=None):
    """Largest difference of left(*inputs) and right(*inputs), and of the gradients of
    all inputs and parameters.

    theirs takes the weights of ours first; a tensor, since the `max` of Python may pass
    over a nan
    """
    if theirs is not None:
        theirs.load_state_dict(renamed(ours.state_dict()))
    values, gradients = zip(run(left, inputs, ours, renamed),
                            run(right, inputs, theirs, dict))
    return torch.stack([largest(*values), largest(*gradients)])


def run(function, inputs, layer, names):
    """Answers by number; gradients, in a random direction, of inputs by number and of
    parameters by name."""
    inputs = [part.detach().clone().requires_grad_() for part in inputs]
    answers = function(*inputs)
    answers = answers if isinstance(answers, tuple) else (answers,)
    parameters = dict(layer.named_parameters()) if layer is not None else {}
    total = sum((answer * draw(9, *answer.shape, dtype=answer.dtype)).sum()
                for answer in answers)
    gradients = torch.autograd.grad(total, [*inputs, *parameters.values()])
    return (dict(enumerate(answers)),
            dict(enumerate(gradients[:len(inputs)]))
            | names(dict(zip(parameters, gradients[len(inputs):]))))


def largest(ours, theirs):
    assert ours.keys() == theirs.keys()
    assert all(ours[name].shape == theirs[name].shape for name in ours)
    return torch.stack([(ours[name] - theirs[name]).abs().max()
                        for name in ours]).max().double()
