def hit_share(weights, links):
    """Returns the share of linked words whose heaviest source word is linked."""
    linked = {j for _, j in links}
    return sum(float(weights[j, i]) for i, j in links) / len(linked)
