"""What pads do to the state that an encoder hands over, when it reads them as words."""

import torch
import torch.nn.functional as F

from softdict import runtime
from softdict.experiments.runner import Experiment
from softdict.saving.recipes import LONGEST
from softdict.seq2seq import Decoder, Encoded, Encoder, Seq2Seq, both_directions
from softdict.vocab import PAD

SIZE = LONGEST + 1    # the longest sentence of the training, and its tag


class PadsBehind(Encoder):
    """Every sentence is filled up to the longest, and the pads are read like words."""

    def forward(self, source, lengths):
        """source [B, S], lengths [B]; as Encoder, with pads among its states."""
        source = F.pad(source, (0, max(0, SIZE - source.shape[1])), value=PAD)
        states, final = self.rnn(self.embedding(source))
        return Encoded(states, both_directions(final), source != PAD)


class PadsInFront(PadsBehind):
    """The same with the pads moved in front of the words."""

    def forward(self, source, lengths):
        """source [B, S], lengths [B]; as PadsBehind."""
        size = max(SIZE, source.shape[1])
        source = F.pad(source, (0, size - source.shape[1]), value=PAD)
        places = (torch.arange(size, device=source.device)
                  + lengths.to(source.device)[:, None])    # [B, P]
        return super().forward(source.gather(1, places % size), lengths)


def states_after_pads(encoder, rows, pads):
    """Last states of the top layer [2, B, K], a direction each, after words and pads.

    rows are B sentences of one length; pads holds how many pads stand in front of the
    words and how many behind them
    """
    ids = torch.tensor([pads[0] * [PAD] + row + pads[1] * [PAD] for row in rows],
                       device=encoder.embedding.weight.device)
    _, final = encoder.rnn(encoder.embedding(ids))
    return final[-2:]


@torch.no_grad()
def pads_and_states(seed, path=None, model=None, layers=1, counts=(0, 1, 2, 4, 8, 16)):
    """Cosine between the last states with and without pads, of 100 sentences.

    for the forward and for the backward reader
    """
    if model is None:
        runtime.seed(seed)
        model = Seq2Seq(Encoder(200, layers=layers), Decoder(200, layers=layers))
    rng = torch.Generator().manual_seed(seed)
    rows = torch.randint(4, model.encoder.embedding.num_embeddings, (100, 5),
                         generator=rng).tolist()
    table = {"pads": counts}
    for name, pads in (("behind", lambda n: (0, n)), ("in front", lambda n: (n, 0))):
        cosines = torch.stack([F.cosine_similarity(
            states_after_pads(model.encoder, rows, pads(n)),
            states_after_pads(model.encoder, rows, (0, 0)), dim=-1).mean(dim=1)
                               for n in counts])
        table[name] = {"forward": cosines[:, 0].tolist(),
                       "backward": cosines[:, 1].tolist()}
    return table


EXPERIMENTS = [Experiment(
    "pads-untrained", "padding",
    lambda seed: pads_and_states(seed, counts=(0, 1, 2, 4, 8))["behind"]["forward"],
    lambda seed, path: pads_and_states(seed))]
