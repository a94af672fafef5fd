from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    word, state, words = BOS, start, []
    while len(words) < max_length:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word in (BOS, EOS):
            break
        words.append(word)
    return words
