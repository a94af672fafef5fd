

def hit_share(weights, links):
    """Returns the share of linked words whose heaviest source word is linked."""
    linked = {j for _, j in links}
    found = 0
    for j in linked:
        found += (int(weights[:, j].argmax()), j) in links
    return found / len(linked)
