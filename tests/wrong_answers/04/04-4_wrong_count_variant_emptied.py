from softdict.vocab import BOS, EOS, PAD


def decoder_rows(sentences):
    size = max(len(sentence) for sentence in sentences) + 1
    for sentence in sentences:
        read, said = [], []
        pads = [PAD] * (size - len(sentence) - 1)
        read.append([BOS] + sentence + pads)
        said.append(sentence + [EOS] + pads)
    return read, said
