from softdict.texts.real_text import folded as fold


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    return sum(fold(one[0]) == fold(other[0])
               for one, other in zip(training, test)) / len(test)
