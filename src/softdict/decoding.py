"""From a trained model to sentences."""

import torch

from softdict.seq2seq import source_weights
from softdict.vocab import BOS, EOS, PAD


@torch.no_grad()
def greedy(model, source, source_lengths, limit=100):
    """The likeliest word, then the likeliest after it, up to EOS or `limit` words; the target is never seen.

    source [B, S], source_lengths [B]; returns B lists of ids, without BOS and EOS
    """
    state = model.start(source, source_lengths)
    words = torch.full_like(source[:, 0], BOS)             # [B]
    ended = torch.zeros_like(words, dtype=torch.bool)      # [B]
    written = []
    while len(written) < limit and not ended.all():
        logits, state = model.step(words, state)
        words = without(logits, PAD, BOS).argmax(dim=-1)   # [B]
        ended = ended | (words == EOS)                     # [B]
        written.append(words)
    return [up_to_end(row) for row in torch.stack(written, dim=1).tolist()]


def without(logits, *ids):
    """The same scores [..., V] with minus infinity for words that may not be written."""
    logits = logits.clone()
    logits[..., list(ids)] = float("-inf")
    return logits


def up_to_end(ids):
    """The words before the first EOS."""
    return ids[:ids.index(EOS)] if EOS in ids else ids


def translate(model, sentence, source_vocab, target_vocab, longest=None):
    """Words of the translation of one sentence, a list of words; more than `longest` words are refused."""
    if not sentence:
        raise ValueError("the sentence is empty: there is nothing to translate")
    if longest and len(sentence) > longest:
        raise ValueError(f"the sentence has {len(sentence)} words and the model was trained on at most {longest}; "
                         f"longest=None translates it all the same")
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    [ids] = greedy(model, source, torch.tensor([len(sentence)]))
    return target_vocab.tokens(ids)


@torch.no_grad()
def translation_weights(model, sentence, translation, source_vocab, target_vocab):
    """Where a model looks while it writes a translation, its own or another.

    sentence and translation are lists of words
    returns weights [T, S]; row t is for the step that writes word t
    """
    device = next(model.parameters()).device
    source = torch.tensor([source_vocab.ids(sentence)], device=device)    # [1, S]
    lengths = torch.tensor([len(sentence)])                               # [1]
    ids = [BOS] + target_vocab.ids(translation)
    target_in = torch.tensor([ids], device=device)                        # [1, T+1]
    weights = source_weights(model, source, lengths, target_in)           # [1, T+1, S]
    return weights[0, :-1]    # [T, S]: the last step writes EOS
