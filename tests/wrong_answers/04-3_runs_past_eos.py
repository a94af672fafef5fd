from softdict.vocab import BOS


def write(step, start, limit):
    word, state, words = BOS, start, []
    while len(words) < limit:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        words.append(word)
    return words
