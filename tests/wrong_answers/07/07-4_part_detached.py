import torch


def attention_step(word, state, states, allowed, rnn, join):
    output, state = rnn(word[:, None], state)
    query = output[:, 0]
    scores = torch.einsum("bsd,bd->bs", states, query)
    weights = scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)
    context = torch.einsum("bs,bsd->bd", weights, states)
    joined = torch.cat([context, query], dim=-1)
    return join(joined).tanh(), state.detach(), weights
