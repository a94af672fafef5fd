from softdict.vocab import BOS, EOS


def write(step, start, limit):
    word, state, words = BOS, start, []
    while word != EOS and len(words) < limit:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        words.append(word)
    return words
