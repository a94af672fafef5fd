from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    word, state, written = BOS, start, []
    while word != EOS and len(written) < max_length:
        scores, state = step(word, state)
        word = max(range(len(scores)), key=lambda n: scores[n])
        written.append(word)
    return written[:-1]
