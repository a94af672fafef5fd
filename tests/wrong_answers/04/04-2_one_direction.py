def join(final):
    return final[-1]
