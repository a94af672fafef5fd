from softdict.vocab import BOS, EOS, PAD


def decoder_rows(sentences):
    size = max(len(sentence) for sentence in sentences) + 1
    read, said = [], []
    for sentence in sentences:
        read.append([BOS] + sentence + [PAD] * (size - len(sentence) - 1))
        sentence.append(EOS)
        said.append(sentence + [PAD] * (size - len(sentence)))
    return read, said
