def top_layer(final):
    _, B, K = final.shape
    layers = final.view(-1, 2, B, K)                # [L, 2, B, K]
    return layers[-1].transpose(0, 1).reshape(B, 2 * K)
