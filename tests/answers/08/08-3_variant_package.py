def hit_share(weights, links):
    """Returns the share of linked words whose heaviest source word is linked."""
    from softdict.scoring import hits

    [(found, linked)] = hits([weights], [links])
    return found / linked
