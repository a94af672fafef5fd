from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = {fold(source) for source, _ in training}
    asked = {fold(source) for source, _ in test}
    return len(seen & asked) / len(test)
