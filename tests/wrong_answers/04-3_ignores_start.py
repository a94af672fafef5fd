from softdict.vocab import BOS, EOS


def write(step, start, limit):
    word, state, words = BOS, None, []
    while len(words) < limit:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word == EOS:
            break
        words.append(word)
    return words
