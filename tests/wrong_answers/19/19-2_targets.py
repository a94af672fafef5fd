from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = {fold(target) for _, target in training}
    return sum(fold(target) in seen for _, target in test) / len(test)
