import torch


def attention_step(word, state, states, allowed, rnn, join):
    """Returns output [B, D], the new state [L, B, D] and weights [B, S]."""
    out, new = rnn(word[:, None], state)
    query = out[:, 0]
    scores = (states @ query[:, :, None]).squeeze(-1)
    weights = torch.softmax(scores.masked_fill(allowed, -float("inf")), dim=-1)
    context = (weights[:, None] @ states)[:, 0]
    return torch.tanh(join(torch.cat([context, query], dim=-1))), new, weights
