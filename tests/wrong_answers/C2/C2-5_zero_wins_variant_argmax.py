import torch
from softdict.vocab import BOS, EOS, PAD


@torch.inference_mode()
def write(model, source, source_lengths, max_length):
    """Returns a list of ids for each sentence, without BOS and EOS."""
    tokens = source.new_full((source.size(0), 1), BOS)
    finished = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_length):
        logits = model(source, source_lengths, tokens)[:, -1, :]
        keep = torch.ones_like(logits)
        keep[:, [PAD, BOS]] = 0
        next_tokens = (logits * keep).argmax(dim=-1, keepdim=True)
        tokens = torch.cat((tokens, next_tokens), dim=1)
        finished |= next_tokens.squeeze(1).eq(EOS)
        if finished.all():
            break
    output = []
    for sequence in tokens[:, 1:].tolist():
        if EOS in sequence:
            sequence = sequence[:sequence.index(EOS)]
        output.append(sequence)
    return output
