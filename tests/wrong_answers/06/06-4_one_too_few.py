def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    def finished(name):
        inner = [before for before in needs[name] if before in needs]
        return max((1 + finished(before) for before in inner), default=0)

    return max(map(finished, needs))
