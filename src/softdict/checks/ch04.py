"""Checks for the exercises of chapter 04, two networks that translate."""

import torch

from softdict.checks.answers import ask, blame, close, learns, pair, something, tensor
from softdict.checks.result import Mistake, exercise, refuse
from softdict.vocab import BOS, EOS, PAD, UNK


@exercise("04-1", points=2)
def check_04_1(read_batch):
    torch.manual_seed(4)
    inputs, lengths = torch.randn(4, 6, 5), torch.tensor([6, 2, 4, 1])
    W, U, b = torch.randn(3, 5), torch.randn(3, 3), torch.randn(3)

    def states(words=lambda n: inputs[n, :lengths[n]], reset=True, recall=U,
               made=lambda word, past: torch.tanh(word + past + b)):
        state, found = torch.zeros(3), []
        for n in range(4):
            state = torch.zeros(3) if reset else state
            for word in words(n):
                state = made(W @ word, recall @ state)
            found.append(state)
        return torch.stack(found)

    def run(inputs):
        return tensor(ask(read_batch, inputs, lengths, W, U, b, keeps=False), (4, 3),
                      "final_states")

    got, real = run(inputs), torch.arange(6) < lengths[:, None]
    if close(got, states()):
        dirty = inputs.masked_fill(~real[..., None], float("nan"))
        refuse(not close(run(dirty), got), "touches_pads")
        return
    blame(got, [
        ("reads_pads", states(lambda n: inputs[n])),
        ("pads_take_steps", states(lambda n: inputs[n] * real[n, :, None])),
        ("pads_empty", states() * (lengths == 6)[:, None]),
        ("one_word_short", states(lambda n: inputs[n, :lengths[n] - 1])),
        ("not_reset", states(reset=False)),
        ("no_memory", states(made=lambda word, past: torch.tanh(word + b))),
        ("U_transposed", states(recall=U.T)),
        ("no_tanh", states(made=lambda word, past: word + past + b)),
        ("no_bias", states(made=lambda word, past: torch.tanh(word + past))),
        ("tanh_inside", states(made=lambda word, past: torch.tanh(word) + past + b),
         states(made=lambda word, past: torch.tanh(word + b) + past)),
        ("bias_outside", states(made=lambda word, past: torch.tanh(word + past) + b)),
        ("word_outside", states(made=lambda word, past: word + torch.tanh(past + b)),
         states(made=lambda word, past: word + torch.tanh(past) + b)),
        ("backwards", states(lambda n: inputs[n, :lengths[n]].flip(0))),
        ("shortest_only", states(lambda n: inputs[n, :1]))])
    refuse((got == got[:1]).all(), "one_tensor")
    first = next(n for n in range(4) if not close(got[n], states()[n]))
    raise Mistake("wrong_states", first=first, words=lengths[first])


def astray(front, back):
    """Rows that belong to other sentences, for `blame`."""
    rows = torch.cat([front, back], dim=-1)
    return [("one_sentence_only", rows[:1].expand(3, 8), rows[-1:].expand(3, 8)),
            ("flipped", torch.cat([front, back.flip(0)], dim=-1),
             torch.cat([front.flip(0), back], dim=-1), rows.flip(0))]


@exercise("04-2", points=2)
def check_04_2(join):
    final = torch.arange(24.0).reshape(2, 3, 4)
    returned = ask(join, final, keeps=False)
    shape = list(getattr(returned, "shape", ()))
    if shape == [3, 4]:
        refuse(close(returned, final.sum(dim=0)), "adds")
        raise Mistake("one_direction")
    refuse(shape == [6, 4], "stacked")
    got, (front, back) = tensor(returned, (3, 8), "rows"), final
    if close(got, torch.cat([front, back], dim=-1)):
        one = getattr(join(final[:, :1]), "shape", None)
        refuse(one != (1, 8), "one_sentence", got=list(one or []))
        learned = final.clone().requires_grad_()
        learns(join, [learned])
        return
    blame(got, [
        ("mixes_the_batch", final.reshape(3, 8)),
        ("back_first", torch.cat([back, front], dim=-1)),
        ("interleaved", final.permute(1, 2, 0).reshape(3, 8)),
        ("mixes_the_numbers", final.permute(2, 0, 1).reshape(3, 8)),
        ("adds", torch.cat([front + back] * 2, dim=-1)),
        ("one_direction_twice", torch.cat([front, front], dim=-1)),
        *astray(front, back)])
    raise Mistake("wrong_rows", right=[*range(4), *range(12, 16)],
                  got=got[0].int().tolist())


@exercise("04-3", points=2)
def check_04_3(top_layer):
    def run(final):
        joined = ask(top_layer, final, keeps=False)
        shape = list(getattr(joined, "shape", ()))
        refuse(shape == [3, 4], "one_direction")
        refuse(shape == [2, 3, 4], "not_joined")
        refuse(shape == [6, 4], "stacked")
        refuse(len(final) > 2 and shape in ([3, 4 * len(final)],
                                            [len(final) // 2, 3, 8]), "all_layers")
        return joined, tensor(joined, (3, 8), "rows")

    final = torch.arange(72.0).reshape(6, 3, 4)    # three layers
    two = final[:4].clone().requires_grad_()
    joined, got = run(final)

    def side_by_side(one, other):
        return torch.cat([final[one], final[other]], dim=-1)

    if close(got, side_by_side(-2, -1)):
        for layers in (1, 2):
            _, fewer = run(final[:2 * layers])
            refuse(not close(fewer, side_by_side(2 * layers - 2, 2 * layers - 1)),
                   "three_layers_only", layers=layers)
        learns(top_layer, [two])
        return
    blame(got, [
        ("bottom_layer", side_by_side(0, 1)),
        ("directions_first", side_by_side(2, 5)),
        ("two_layers_only", side_by_side(2, 3)),
        ("first_and_last", side_by_side(0, 5)),
        ("back_first", side_by_side(-1, -2)),
        ("mixes_the_batch", final[-2:].reshape(3, 8)),
        ("one_direction_twice", side_by_side(-1, -1), side_by_side(-2, -2)),
        *astray(*final[-2:])])
    raise Mistake("wrong_rows", right=[*range(48, 52), *range(60, 64)],
                  got=got[0].int().tolist())


@exercise("04-4", points=1)
def check_04_4(decoder_rows):
    sentences = [[7, 8, 9, 5], [6], [5, 4]]
    returned = pair(ask(decoder_rows, sentences))
    read, said = ([[int(word) for word in row] for row in rows] for rows in returned)
    refuse({len(read), len(said)} != {3}, "wrong_count", read=len(read), said=len(said))

    def filled(before=(), behind=(), late=()):
        rows = [[*before, *sentence, *behind] for sentence in sentences]
        size = max(map(len, rows))
        return [row + [PAD] * (size - len(row)) + list(late) for row in rows]

    right = filled([BOS]), filled(behind=[EOS])
    if (read, said) == right:
        more = [list(rows) for rows in decoder_rows([[6], [7, 8, 9, 5, 4], [5, 4]])]
        refuse({len(row) for rows in more for row in rows} != {6}, "first_is_longest")
        return
    refuse((said, read) == right, "swapped")
    refuse(any(len(row) != len(read[0]) for row in [*read, *said]), "ragged")
    refuse(read == said, "not_shifted")
    refuse(said == filled(late=[EOS]), "eos_after_pads")
    size = max(map(len, sentences)) + 1
    cut = [([BOS] + sentence + [EOS] + [PAD] * size)[:size] for sentence in sentences]
    refuse(said == right[1] and read == cut, "eos_is_read-shorter")
    refuse(read == filled([BOS], [EOS]), "eos_is_read")
    refuse(said == filled([BOS], [EOS]), "bos_is_said")
    refuse(not any(BOS in row for row in read), "no_bos")
    refuse(not any(EOS in row for row in said), "no_eos")
    refuse(read[1][0] == PAD, "pads_in_front")
    refuse(any(len(row) > size for row in [*read, *said]), "too_wide", size=size)
    wrong = next(n for n in range(3) if (read[n:n + 1], said[n:n + 1])
                 != (right[0][n:n + 1], right[1][n:n + 1]))
    raise Mistake("wrong_rows", sentence=sentences[wrong], read=right[0][wrong],
                  said=right[1][wrong])


class Script:
    """A decoder that says a text if it is led rightly, and remembers its calls."""

    def __init__(self, text):
        self.text, self.calls = text, []

    def step(self, word, state):
        self.calls.append((int(word), state))
        refuse(len(self.calls) > 60, "ignores_limit")
        place = min(state[1] if isinstance(state, tuple) else 0, len(self.text))
        led = int(word) == [BOS, *self.text][place]
        best = [*self.text, EOS][place] if led else 9
        scores = [-8.0 - number for number in range(10)]    # all below 0, all different
        scores[best] = -1.0
        return scores, ("state", place + 1)


@exercise("04-5", points=2)
def check_04_5(write):
    text = [5, 7, 7, 4, 8]
    script = Script(text)
    start = ("state", 0)

    def run(script, most=20):
        return [int(word) for word in something(write(script.step, start, most))]

    got = run(script)
    words, states = ([call[n] for call in script.calls] for n in (0, 1))
    refuse(not words or words[0] != BOS, "no_bos")
    refuse(states[0] is not start, "ignores_start")
    refuse(len(words) > 1 and set(words) == {BOS}, "word_not_fed_back")
    refuse(len(states) > 1 and set(states) == {start}, "state_not_passed")
    if 3 in got and got[:6] == [*text, EOS]:
        refuse(len(got) == 6, "keeps_eos")
        raise Mistake("runs_past_eos")
    refuse(len(got) > 5 and got[:5] == text, "runs_past_eos")    # and leaves EOS out
    refuse(got == [BOS, *text], "keeps_bos")
    refuse(any(word < 0 for word in got), "score_for_word")
    refuse(got and got[0] == 9, "lowest")
    refuse(set(got) == {PAD}, "starts_at_zero")
    refuse(got == [5, 7] and run(Script([5, 7, 4, 8])) == [5, 7, 4, 8],
           "stops_at_repeat")
    refuse(got != text, "wrong_words", text=text, got=got)
    got = [word for word in run(Script([5, PAD, BOS, UNK, 8])) if word != BOS]
    refuse(got != [5, PAD, UNK, 8] and 8 in got, "drops_words")
    refuse(got != [5, PAD, UNK, 8], "stops_too_early")
    got = run(Script([5, 7] * 40), 6)
    refuse(len(got) == 5, "one_too_few")
    refuse(len(got) != 6, "wrong_count", got=len(got))
