def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    count = 0
    while needs:
        ready = [name for name, wanted in needs.items() if not set(wanted) & set(needs)]
        for name in ready:
            del needs[name]
        count += 1
    return count
