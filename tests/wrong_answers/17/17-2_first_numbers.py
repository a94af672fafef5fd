import torch


def advance(totals, logs, past):
    """Returns sums [R], words [R] and memories [R, P, K]."""
    num_beams, vocab_size = logs.size()
    next_scores = torch.add(logs, totals.unsqueeze(-1)).view(-1)
    next_scores, next_tokens = torch.topk(next_scores, num_beams)
    beam_idx = torch.div(next_tokens, vocab_size, rounding_mode="floor")
    next_tokens = torch.remainder(next_tokens, vocab_size)
    past = torch.gather(past, 0, beam_idx.view(-1, 1, 1))
    return next_scores, next_tokens, past
