from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = [fold(source) for source, _ in training]
    return sum(any(fold(asked) in source for source in seen)
               for asked, _ in test) / len(test)
