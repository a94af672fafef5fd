def join(final):
    return final[0] + final[1]
