def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    def places(text):
        return "".join(sign if sign.isalnum() or sign == "_" else " "
                       for sign in text.casefold()).split()

    seen = [places(source) for source, _ in training]
    return 1 - sum(places(source) not in seen for source, _ in test) / len(test)
