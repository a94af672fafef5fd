"""A control for scheduled sampling: as many wrong words are read, but not its own."""

import torch

from softdict.seq2seq import Seq2Seq
from softdict.vocab import BOS, PAD


class Noised(Seq2Seq):
    """A Seq2Seq that in training reads other words where its own would be wrong.

    The question: is it practice with its own mistakes that helps a translator, or would
    other wrong words do as well? `ScheduledSampling` reads its own last word at some
    steps. At such a step this one reads the right word if its own is right, else a word
    of the batch that is not the right one, chosen at random. So it reads wrong words as
    often as it makes them, and they say nothing of what it would have written. The
    measures are those of chapter 05: BLEU and content words of sentences of 21 to 24
    words. If the mean of these trainings is nearer to that of scheduled sampling than
    to that of teacher forcing, the noise is what helps, and not the model's own words.

    teacher_forcing is the share of steps that read the right word in any case
    """

    def __init__(self, encoder, decoder, teacher_forcing):
        super().__init__(encoder, decoder)
        self.teacher_forcing = teacher_forcing

    def states(self, source, source_lengths, target_in):
        """source [B, S], target_in [B, T]; returns states [B, T, D]."""
        if not self.training:
            return super().states(source, source_lengths, target_in)
        state, context = self.start(source, source_lengths)
        told = (torch.rand(target_in.shape[1], device="cpu")
                < self.teacher_forcing).tolist()
        outputs = []
        for t, ids in enumerate(target_in.unbind(dim=1)):
            if outputs and not told[t]:
                own = self.generator(outputs[-1]).argmax(dim=-1)              # [B]
                ids = torch.where(own == ids, ids, others(ids, target_in))    # [B]
            output, state = self.decoder(ids, state, context)
            outputs.append(output)
        return torch.stack(outputs, dim=1)    # [B, T, D]


def others(ids, target_in):
    """For each of ids [B] a word of target_in [B, T] that is another; returns ids [B].

    the more often a word stands there, the more often it is chosen
    """
    words = target_in[(target_in != PAD) & (target_in != BOS)]      # [N]
    chance = torch.rand(len(ids), len(words), device=ids.device)    # [B, N]
    chance = chance.masked_fill(words == ids[:, None], -1)          # [B, N]
    return words[chance.argmax(dim=-1)]                             # [B]
