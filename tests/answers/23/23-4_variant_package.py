import torch
import torch.nn.functional as F

from softdict.linear_attention import gated_delta_block


def delta_rule(query, key, value, strength):
    """query, key [T, K], value [T, D], strength [T]; returns answers and memory."""
    strength = strength[:, None]
    return gated_delta_block(query, F.normalize(key, dim=-1), value, strength,
                             torch.ones_like(strength))
