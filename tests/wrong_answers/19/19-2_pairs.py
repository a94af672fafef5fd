from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = {(fold(source), fold(target)) for source, target in training}
    return sum((fold(source), fold(target)) in seen
               for source, target in test) / len(test)
