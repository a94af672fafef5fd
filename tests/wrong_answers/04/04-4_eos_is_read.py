from softdict.vocab import BOS, EOS, PAD


def decoder_rows(sentences):
    size = max(map(len, sentences)) + 2
    rows = [[BOS, *sentence, EOS] + (size - len(sentence) - 2) * [PAD]
            for sentence in sentences]
    return rows, [row[1:] + [PAD] for row in rows]
