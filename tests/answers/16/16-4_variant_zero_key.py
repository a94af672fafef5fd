import torch
from softdict.attention import attention


def quiet(query, key, value, allowed=None):
    """Returns context [..., T, K] and weights [..., T, S]; the weights of a query may
    be less than 1 together."""
    shape = (*query.shape[:-1], key.shape[-2])
    allowed = (torch.ones(shape, dtype=torch.bool)
               if allowed is None else allowed.broadcast_to(shape))
    allowed = torch.cat([allowed.to(query.device), torch.ones_like(allowed[..., :1])],
                        dim=-1)
    key, value = (torch.cat([part, torch.zeros_like(part[..., :1, :])], dim=-2)
                  for part in (key, value))
    context, weights = attention(query, key, value, allowed)
    return context, weights[..., :-1]
