from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    found = 0
    for asked, _ in test:
        for source, _ in training:
            if fold(asked) == fold(source):
                found += 1
                break
    return found / len(test)
