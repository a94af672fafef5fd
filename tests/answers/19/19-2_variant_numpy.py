import numpy
from softdict.texts.real_text import folded as fold

def leak(training, test):
    """The share of test pairs whose source sentence the training has, too."""
    seen = [fold(pair[0]) for pair in training]
    return numpy.isin([fold(pair[0]) for pair in test], seen).mean()
