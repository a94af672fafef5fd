from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    total = len(test)
    for pair in list(test):
        if fold(pair[0]) not in {fold(source) for source, _ in training}:
            test.remove(pair)
    return len(test) / total
