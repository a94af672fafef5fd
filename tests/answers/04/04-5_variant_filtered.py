from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    words, state = [BOS], start
    while words[-1] != EOS and len(words) <= max_length:
        scores, state = step(words[-1], state)
        words.append(scores.index(max(scores)))
    return [word for word in words if word not in (BOS, EOS)]
