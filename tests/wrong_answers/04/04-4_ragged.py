from softdict.vocab import BOS, EOS


def decoder_rows(sentences):
    return ([[BOS] + sentence for sentence in sentences],
            [sentence + [EOS] for sentence in sentences])
