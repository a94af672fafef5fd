def join(final):
    return final.permute(2, 0, 1).reshape(final.shape[1], -1)
