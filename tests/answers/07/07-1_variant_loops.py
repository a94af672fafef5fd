import math

import torch


def attention_in_loops(query, states, lengths):
    """Returns contexts [B, D] and weights [B, S]."""
    contexts, rows = [], []
    for q, sentence, length in zip(query.tolist(), states.tolist(), lengths.tolist()):
        energies = [sum(a * b for a, b in zip(q, state)) for state in sentence[:length]]
        powers = [math.exp(e - max(energies)) for e in energies]
        row = [power / sum(powers) for power in powers]
        contexts.append([sum(w * state[i] for w, state in zip(row, sentence))
                         for i in range(len(q))])
        rows.append(row + [0.0] * (len(sentence) - length))
    return torch.tensor(contexts), torch.tensor(rows)
