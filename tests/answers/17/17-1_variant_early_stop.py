def beam(next_logs, size, limit, end):
    """Returns pairs (words, sum of log p), the best first."""
    going, whole = [([], 0.0)], []
    for _ in range(limit):
        longer = sorted(([total + log, words, word] for words, total in going
                         for word, log in next_logs(words).items()),
                        key=lambda item: -item[0])
        going = []
        for place, (total, words, word) in enumerate(longer):
            if word == end:
                if place < size:
                    whole.append((words, total))
            elif len(going) < size:
                going.append((words + [word], total))
        whole = sorted(whole, key=lambda pair: -pair[1])[:size]
        # sums only fall
        if len(whole) == size and (not going or whole[-1][1] >= going[0][1]):
            break
    return whole
