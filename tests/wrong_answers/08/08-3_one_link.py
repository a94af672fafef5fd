def hit_share(weights, links):
    """Returns the share of linked words whose heaviest source word is linked."""
    link_of = {j: i for i, j in links}
    return sum(int(weights[j].argmax()) == i for j, i in link_of.items()) / len(link_of)
