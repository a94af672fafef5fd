def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    done = {name for wanted in needs.values() for name in wanted} - set(needs)
    count = 0
    while not done >= set(needs):
        done |= {name for name in needs if done >= set(needs[name])}
        count += 1
    return count
