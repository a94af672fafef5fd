"""The last norm stands behind each order."""


def run_stack(x, sublayers, norms, last, order):
    ways = {"pre": lambda x, f, norm: x + f(norm(x)),
            "post": lambda x, f, norm: norm(x + f(x)),
            "inner": lambda x, f, norm: x + norm(f(x))}
    for f, norm in zip(sublayers, norms):
        x = ways[order](x, f, norm)
    return last(x)
