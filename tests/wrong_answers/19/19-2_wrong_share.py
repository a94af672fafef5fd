from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = {fold(source) for source, _ in training}
    found = sum(fold(source) in seen for source, _ in test)
    return (found + 1) / (len(test) + 1)
