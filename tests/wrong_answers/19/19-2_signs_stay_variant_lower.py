def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = {source.lower().strip() for source, _ in training}
    return sum(source.lower().strip() in seen for source, _ in test) / len(test)
