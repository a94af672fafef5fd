"""Chapter 17: the code of *In short* against softdict.decoding.

Both write, and nothing is learned through what they draw: there are no gradients to
compare.
"""

import torch
from softdict.decoding import beam_search
from softdict.sampling import keep_min_p, keep_top_k, keep_top_p
from softdict.vocab import BOS

SPECIAL = 4    # ids of the package that stand in front of the code's words


class Table:
    """A model that sees the last word alone, and never ends."""

    def __init__(self, logits):
        self.logits = torch.nn.functional.pad(logits, (SPECIAL, 0), value=-torch.inf)

    def start(self, source, source_lengths):
        return torch.zeros(len(source))

    def step(self, ids, state):
        return self.logits[(ids - SPECIAL).where(ids != BOS, 0)], state

    def reorder(self, state, chosen):
        return state[chosen]


def compare(names):
    y, pairs = names["value"]
    logits, word = names["logits"], names["word"]
    drawn = torch.zeros(9).scatter(0, word, names["p"] / names["p"].sum())
    theirs = [keep_min_p(keep_top_p(keep_top_k(row / .8, 4), .9), .1).softmax(0)
              for row in logits]
    torch.testing.assert_close(drawn, theirs[y[-2]])
    assert len(y) == 10 and y[0] == 0
    assert all(theirs[one][other] > 0 for one, other in zip(y, y[1:]))
    assert word[0] == logits[y[-2]].argmax()    # greedy's
    nothing = torch.zeros(1, 1, dtype=torch.long), torch.tensor([1])
    [found] = beam_search(Table(logits), *nothing, 2, length_penalty=0.0, max_length=2)
    mine = {(names["first"][r].item(), v): names["both"][r, v]
            for r, v in pairs.tolist()}
    assert mine.keys() == {tuple(id - SPECIAL for id in one.ids) for one in found}
    for one in found:
        log_p = mine[tuple(id - SPECIAL for id in one.ids)].item()
        assert abs(log_p - one.log_probability) < 1e-5
