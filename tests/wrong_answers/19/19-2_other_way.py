from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    asked = {fold(source) for source, _ in test}
    return sum(fold(source) in asked for source, _ in training) / len(training)
