def beam(next_logs, size, limit, end):
    """Returns pairs (words, sum of log p), the best first."""
    going, whole = [([], 0.0)], []
    for _ in range(limit):
        longer = []
        for words, total in going:
            own = sorted(next_logs(words).items(), key=lambda item: -item[1])[:size]
            longer += [(words + [word], total + log) for word, log in own]
        longer.sort(key=lambda pair: pair[1], reverse=True)
        whole += [(words[:-1], total)
                  for words, total in longer[:size] if words[-1] == end]
        going = [pair for pair in longer if pair[0][-1] != end]
    whole.sort(key=lambda pair: pair[1], reverse=True)
    return whole[:size]
