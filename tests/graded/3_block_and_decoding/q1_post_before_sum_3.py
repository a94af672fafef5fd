"""post: the answer is normalised, and not the sum."""


def run_stack(x, sublayers, norms, last, order):
    for f, norm in zip(sublayers, norms):
        x = x + (f(norm(x)) if order == "pre" else norm(f(x)))
    return x if order == "post" else last(x)
