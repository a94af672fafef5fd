"""The last norm is left out."""


def run_stack(x, sublayers, norms, last, order):
    for f, norm in zip(sublayers, norms):
        if order == "pre":
            x = x + f(norm(x))
        if order == "post":
            x = norm(x + f(x))
        if order == "inner":
            x = x + norm(f(x))
    return x
