from softdict.vocab import BOS, EOS, PAD


def decoder_rows(sentences):
    size = max(map(len, sentences)) + 2
    rows = [[BOS, *sentence, EOS] + (size - len(sentence) - 2) * [PAD]
            for sentence in sentences]
    read = [[PAD if word == EOS else word for word in row][:-1] for row in rows]
    return read, [row[1:] for row in rows]
