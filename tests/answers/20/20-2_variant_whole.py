import torch


def hits(weights, links):
    """Share of links that each head hits [H], and that of the best offset.

    weights [B, H, S, S]; links is a list of (sentence, word, other word)
    """
    S = weights.shape[-1]
    hidden = torch.eye(S, dtype=torch.bool, device=weights.device)
    hidden[:, 0] = True
    looks = weights.masked_fill(hidden, -1).argmax(dim=-1)
    b, word, other = torch.tensor(links, device=weights.device).T
    hit = looks[b, :, word] == other[:, None]
    _, counts = (other - word).unique(return_counts=True)
    return hit.double().mean(dim=0), counts.max() / len(links)
