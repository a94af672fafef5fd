"""pre: what is added to is normalised as well."""


def run_stack(x, sublayers, norms, last, order):
    for f, norm in zip(sublayers, norms):
        if order == "pre":
            x = norm(x)
            x = x + f(x)
        if order == "post":
            x = norm(x + f(x))
        if order == "inner":
            x = x + norm(f(x))
    return x if order == "post" else last(x)
