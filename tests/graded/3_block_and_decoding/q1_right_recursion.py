"""The first sub-layer, and then the rest of the stack."""


def run_stack(x, sublayers, norms, last, order):
    if not sublayers:
        return x if order == "post" else last(x)
    f, norm = sublayers[0], norms[0]
    if order == "pre":
        x = f(norm(x)) + x
    elif order == "post":
        x = norm(f(x) + x)
    else:
        x = norm(f(x)) + x
    return run_stack(x, sublayers[1:], norms[1:], last, order)
