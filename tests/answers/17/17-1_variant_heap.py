import heapq


def beam(next_logs, size, limit, end):
    """Returns pairs (words, sum of log p), the best first."""
    going, whole = [(0.0, ())], []
    for _ in range(limit):
        longer = []
        for total, words in going:
            for word, log in next_logs(list(words)).items():
                longer.append((total + log, words + (word,)))
        best = heapq.nlargest(size, longer, key=lambda item: item[0])
        for total, words in best:
            if words[-1] == end:
                whole.append((list(words[:-1]), total))
        going = heapq.nlargest(size, (item for item in longer if item[1][-1] != end),
                               key=lambda item: item[0])
    return heapq.nlargest(size, whole, key=lambda item: item[1])
