from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    word, state, words = BOS, start, []
    while word != EOS and len(words) < max_length:
        scores, state = step(word, state)
        word = scores.index(max(scores))
        words.append(word)
    return [word for word in words if word > EOS]
