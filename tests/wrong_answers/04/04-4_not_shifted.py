from softdict.vocab import EOS, PAD


def decoder_rows(sentences):
    """Returns the rows that are read and the rows that must be said."""
    size = max(len(sentence) for sentence in sentences) + 1
    read, said = [], []
    for sentence in sentences:
        pads = [PAD] * (size - len(sentence) - 1)
        read.append(sentence + [EOS] + pads)
        said.append(sentence + [EOS] + pads)
    return read, said
