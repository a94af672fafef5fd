from softdict.texts import real_text


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    return real_text.leak(training, test)
