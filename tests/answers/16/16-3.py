def fair_report(valid, test):
    """Returns the name of what was chosen, and its score on the test sentences."""
    means = {rate: sum(scores) / len(scores) for rate, scores in valid.items()}
    best = max(means, key=means.get)
    return best, sum(test[best]) / len(test[best])
