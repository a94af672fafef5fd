from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    written = []
    word, state = BOS, start
    for _ in range(max_length):
        scores, state = step(word, state)
        word = scores.index(max(scores))
        if word == EOS or word in written:
            break
        written.append(word)
    return written
