def fair_report(valid, test):
    """Returns the name of what was chosen, and its score on the test sentences."""
    best = max(valid, key=lambda rate: sum(valid[rate]) / len(valid[rate]))
    seed = valid[best].index(max(valid[best]))
    return best, test[best][seed]
