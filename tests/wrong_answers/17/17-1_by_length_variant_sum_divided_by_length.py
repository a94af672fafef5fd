def beam(next_logs, size, limit, end):
    alive, whole = [([], 0.0)], []
    for _ in range(limit):
        every = [(words + [w], total + log) for words, total in alive
                 for w, log in next_logs(words).items()]
        every.sort(key=lambda one: -one[1])
        whole += [(words[:-1], total / len(words)) for words, total in every[:size]
                  if words[-1] == end]
        alive = [one for one in every if one[0][-1] != end][:size]
    return sorted(whole, key=lambda one: -one[1])[:size]
