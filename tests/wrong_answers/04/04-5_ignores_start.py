from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    word, state, words = BOS, None, []
    while len(words) < max_length:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word == EOS:
            break
        words.append(word)
    return words
