def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    def finished(name):
        return max((1 + finished(before) for before in needs.get(name, [])), default=0)

    return max(map(finished, needs))
