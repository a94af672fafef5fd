def fair_report(valid, test):
    """Returns the name of what was chosen, and its score on the test sentences."""
    best = min(valid, key=lambda rate: sum(valid[rate]) / len(valid[rate]))
    return best, sum(test[best]) / len(test[best])
