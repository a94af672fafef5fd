from softdict.vocab import BOS, EOS


def write(step, start, max_length):
    def after(word, state, left):
        scores, state = step(word, state)
        best = max(range(len(scores)), key=lambda number: scores[number])
        return [] if best == EOS or left == 0 else [best, *after(best, state, left - 1)]

    return after(BOS, start, max_length)
