def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    when = {}
    for name, wanted in needs.items():
        when[name] = 1 + max((when.get(before, 0) for before in wanted), default=0)
    return max(when.values())
