def top_layer(final):
    return final[-2:]
