from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    word, state, words = BOS, start, []
    while len(words) < max_length:
        scores, state = step(word, state)
        word, highest = 0, 0
        for number, score in enumerate(scores):
            if score > highest:
                word, highest = number, score
        if word == EOS:
            break
        words.append(word)
    return words
