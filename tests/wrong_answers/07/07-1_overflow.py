import torch



def attention_in_loops(query, states, lengths):
    """Returns contexts [B, D] and weights [B, S]."""
    contexts, weights = torch.zeros_like(query), torch.zeros(states.shape[:2])
    for n in range(len(query)):
        size = int(lengths[n])
        powers = (states[n, :size] @ query[n]).exp()
        weights[n, :size] = powers / powers.sum()
        contexts[n] = weights[n, :size] @ states[n, :size]
    return contexts, weights
