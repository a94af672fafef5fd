def join(final):
    _, B, K = final.shape
    return final.transpose(0, 1).reshape(B, 2 * K)
