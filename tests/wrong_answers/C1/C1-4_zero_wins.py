from softdict.vocab import BOS, EOS, PAD
import torch


def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    ids = torch.full((len(source), 1), BOS, device=source.device)
    with torch.no_grad():
        for _ in range(max_length):
            logits = model(source, source_lengths, ids)[:, -1].clone()
            logits[:, [PAD, BOS]] = 0
            ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
    answers = []
    for row in ids[:, 1:].tolist():
        answers.append(row[:row.index(EOS)] if EOS in row else row)
    return answers
