def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    def finished(name):
        if name not in needs:
            return 0
        return 1 + max(map(finished, needs[name]), default=0)

    return max(map(finished, needs))
