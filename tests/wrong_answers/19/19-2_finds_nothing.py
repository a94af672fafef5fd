from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    return sum(fold(source) in training for source, _ in test) / len(test)
