def steps(needs):
    """Returns how many steps it takes if all that is ready is done at once."""
    done, count = set(), 0
    while len(done) < len(needs):
        done |= {name for name in needs if done >= set(needs[name])}
        count += 1
    return count
