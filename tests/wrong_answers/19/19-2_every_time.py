from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    found = sum(fold(asked) == fold(source) for asked, _ in test
                for source, _ in training)
    return found / len(test)
