def fair_report(valid, test):
    """Returns the name of what was chosen, and its score on the test sentences."""
    best = max(valid, key=lambda rate: sum(valid[rate]) / len(valid[rate]))
    scores = [score for row in test.values() for score in row]
    return best, sum(scores) / len(scores)
