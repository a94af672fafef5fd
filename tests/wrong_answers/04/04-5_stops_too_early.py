from softdict.vocab import BOS, EOS, PAD


def write(step, start, max_length):
    """Returns the numbers of the words that the decoder writes."""
    word, state, words = BOS, start, []
    while len(words) < max_length:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word in (PAD, BOS, EOS):
            break
        words.append(word)
    return words
