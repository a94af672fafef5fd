def beam(next_logs, size, limit, end):
    """Returns pairs (words, sum of log p), the best first."""
    going = [([], 0.0)]
    for _ in range(limit):
        longer = []
        for words, total in going:
            if words and words[-1] == end:
                longer.append((words, total))
            else:
                longer += [(words + [word], total + log)
                           for word, log in next_logs(words).items()]
        going = sorted(longer, key=lambda pair: pair[1], reverse=True)[:size]
    return [(words[:-1], total) for words, total in going if words[-1] == end]
