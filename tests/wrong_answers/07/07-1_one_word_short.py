import torch


def attention_in_loops(query, states, lengths):
    B, S, D = states.shape
    contexts, weights = torch.zeros(B, D), torch.zeros(B, S)
    for b in range(B):
        scores = torch.full((S,), -float("inf"))
        for s in range(S):
            if s < lengths[b] - 1:
                scores[s] = query[b] @ states[b, s]
        weights[b] = torch.softmax(scores, dim=0)
        contexts[b] = weights[b] @ states[b]
    return contexts, weights
