from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    tokens = [BOS]
    state = start
    while len(tokens) < max_length:
        scores, state = step(tokens[-1], state)
        best = scores.index(max(scores))
        if best == EOS:
            break
        tokens.append(best)
    return tokens[1:]
