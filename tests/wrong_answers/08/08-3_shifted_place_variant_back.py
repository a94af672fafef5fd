def hit_share(weights, links):
    """Returns the share of linked words whose heaviest source word is linked."""
    linked = {j for _, j in links}
    found = sum((int(weights[j].argmax()) - 1, j) in links for j in linked)
    return found / len(linked)
