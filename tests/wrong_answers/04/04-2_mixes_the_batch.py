def join(final):
    return final.reshape(final.shape[1], -1)
