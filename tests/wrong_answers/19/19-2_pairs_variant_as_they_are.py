def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    return sum(pair in training for pair in test) / len(test)
