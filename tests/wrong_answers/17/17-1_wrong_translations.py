def beam(next_logs, size, limit, end):
    """Returns pairs (words, sum of log p), the best first."""
    going, whole = [([], 0.0)], []
    for _ in range(limit):
        longer = [(words + [word], total + log) for words, total in going
                  for word, log in next_logs(words).items()]
        longer.sort(key=lambda pair: pair[1], reverse=True)
        whole += [(words[:-1], total)
                  for words, total in longer[:size] if words[-1] == end]
        going = [pair for pair in longer if pair[0][-1] != end][:size]
    whole.sort(key=lambda pair: (-len(pair[0]), pair[1]), reverse=True)
    return whole[:size]
