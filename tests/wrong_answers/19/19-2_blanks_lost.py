import re


def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    def words(text):
        return "".join(re.findall(r"\w+", text.casefold()))

    seen = {words(source) for source, _ in training}
    return sum(words(source) in seen for source, _ in test) / len(test)
