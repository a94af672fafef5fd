from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    """Returns the numbers of the words that the decoder writes."""
    word, state, words = BOS, start, []
    for _ in range(max_length):
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word != EOS:
            words.append(word)
    return words
