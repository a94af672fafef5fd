"""Checks for the exercises of chapter 04, two networks that translate."""

import torch

from softdict.checks.answers import (
    ask, blame, close, learns, pair, something, tensor)
from softdict.checks.result import Mistake, exercise, refuse
from softdict.vocab import BOS, EOS, PAD, UNK


@exercise("04-1", points=2)
def check_04_1(read_batch):
    torch.manual_seed(4)
    inputs, lengths = torch.randn(4, 6, 5), torch.tensor([6, 2, 4, 1])
    W, U, b = torch.randn(3, 5), torch.randn(3, 3), torch.randn(3)

    def states(words=lambda n: inputs[n, :lengths[n]], squeeze=torch.tanh, memory=1.0,
               bias=1.0, reset=True, recall=U, inside=False):
        state, found = torch.zeros(3), []
        for n in range(4):
            state = torch.zeros(3) if reset else state
            for word in words(n):
                past = memory * (recall @ state) + bias * b
                state = squeeze(W @ word) + past if inside else squeeze(W @ word + past)
            found.append(state)
        return torch.stack(found)

    def run(inputs):
        return tensor(ask(read_batch, inputs, lengths, W, U, b, advice=None), (4, 3),
                      "final states")

    got, real = run(inputs), torch.arange(6) < lengths[:, None]
    if close(got, states()):
        dirty = inputs.masked_fill(~real[..., None], float("nan"))
        refuse(not close(run(dirty), got), "touches_pads",
               "pads may hold anything, even nan, and yours computes with them; nan "
               "times 0 is nan, so never read them.")
        return "each sentence is read from a fresh start to its own last word."
    blame(got, [
        ("reads_pads", "yours reads the pads too; stop each sentence at its own "
         "length.", states(lambda n: inputs[n])),
        ("pads_take_steps", "you made the pads zero and read them all the same: a zero "
         "still takes a step, and the old state fades.",
         states(lambda n: inputs[n] * real[n, :, None])),
        ("pads_empty", "a pad sets your state to 0; at a pad the state stays what it "
         "was.", states() * (lengths == 6)[:, None]),
        ("one_word_short", "yours stops one word before the last real word.",
         states(lambda n: inputs[n, :lengths[n] - 1])),
        ("not_reset", "the second sentence starts from the first one's state; start "
         "each from zeros.", states(reset=False)),
        ("no_memory", "the old state never reaches the new one; add U times the state.",
         states(memory=0.0)),
        ("U_transposed", "you multiply by U from the wrong side: `U @ state`.",
         states(recall=U.T)),
        ("no_tanh", "yours never squeezes the sum with tanh.",
         states(squeeze=lambda state: state)),
        ("no_bias", "yours leaves out b.", states(bias=0.0)),
        ("tanh_inside", "your tanh ends before U times the state; it goes around the "
         "whole sum.", states(inside=True),
         states(squeeze=lambda part: torch.tanh(part + b), bias=0.0, inside=True)),
        ("backwards", "yours reads from the last word to the first.",
         states(lambda n: inputs[n, :lengths[n]].flip(0))),
        ("shortest_only", "yours reads as many words of each sentence as the shortest "
         "has.", states(lambda n: inputs[n, :1]))])
    refuse((got == got[:1]).all(), "one_tensor", "all your rows are equal; a state "
           "that is changed in place is one tensor in all of them.")
    first = next(n for n in range(4) if not close(got[n], states()[n]))
    raise Mistake("wrong_states", f"the state of sentence {first} is wrong; its first "
                  f"{lengths[first]} words are real.")


@exercise("04-2", points=2)
def check_04_2(join):
    final = torch.arange(24.0).reshape(2, 3, 4)
    returned = ask(join, final, advice=None)
    shape = list(getattr(returned, "shape", ()))
    if shape == [3, 4]:
        refuse(close(returned, final.sum(dim=0)), "adds",
               "yours adds the two directions; keep both, side by side.")
        raise Mistake("one_direction", "yours keeps four numbers of each sentence; "
                      "both directions have four.")
    refuse(shape == [6, 4], "stacked",
           "you glued the slices along the sentences; glue them along the last axis.")
    got, (front, back) = tensor(returned, (3, 8), "rows"), final
    if close(got, torch.cat([front, back], dim=-1)):
        one = getattr(join(final[:, :1]), "shape", None)
        refuse(one != (1, 8), "one_sentence", "a batch of one sentence should give "
               f"[1, 8]; yours gives {list(one or [])}. Is there a squeeze?")
        learned = final.clone().requires_grad_()
        learns(join, [learned])
        return "each row holds both directions of its own sentence."
    blame(got, [
        ("mixes_the_batch", "a row holds numbers of two sentences, as before; glue the "
         "slices, and do not cut them anew.", final.reshape(3, 8)),
        ("back_first", "the forward direction comes first.",
         torch.cat([back, front], dim=-1)),
        ("interleaved", "the numbers of the two directions alternate; first all of "
         "one, then all of the other.", final.permute(1, 2, 0).reshape(3, 8)),
        ("mixes_the_numbers", "a row holds numbers of all sentences; each row is about "
         "one.", final.permute(2, 0, 1).reshape(3, 8)),
        ("adds", "yours adds the two directions; keep both, side by side.",
         torch.cat([front + back] * 2, dim=-1)),
        ("one_direction_twice", "the same direction stands there twice.",
         torch.cat([front, front], dim=-1))])
    raise Mistake("wrong_rows", "the first row should be "
                  f"{[*range(4), *range(12, 16)]}; yours is {got[0].int().tolist()}.")


@exercise("04-3", points=2)
def check_04_3(top_layer):
    def run(final):
        joined = ask(top_layer, final, advice=None)
        shape = list(getattr(joined, "shape", ()))
        refuse(shape == [3, 4], "one_direction", "yours has four numbers for each "
               "sentence; both directions have four, and they stand side by side.")
        refuse(shape == [2, 3, 4], "not_joined", "you return two slices; join them "
               "along the last axis.")
        refuse(shape == [6, 4], "stacked", "you joined the slices along the sentences; "
               "join them along the last axis.")
        refuse(len(final) > 2 and shape in ([3, 4 * len(final)],
                                            [len(final) // 2, 3, 8]),
               "all_layers", "yours keeps every layer; the top one is asked for.")
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
                   "three_layers_only", "right for three layers, and wrong for "
                   f"{layers}; count from the end.")
        learns(top_layer, [two])
        return "the top layer's two directions, however many layers there are."
    blame(got, [
        ("bottom_layer", "with three layers you return the bottom one; the first two "
         "slices are the top layer only if there is no other.", side_by_side(0, 1)),
        ("directions_first", "you take it that all forward slices come first; PyTorch "
         "goes layer by layer.", side_by_side(2, 5)),
        ("two_layers_only", "slices 2 and 3 are the top layer of two; here there are "
         "three layers.", side_by_side(2, 3)),
        ("first_and_last", "the first slice is from the bottom layer, the last from "
         "the top; take both from the top.", side_by_side(0, 5)),
        ("back_first", "the forward direction comes first.", side_by_side(-1, -2)),
        ("mixes_the_batch", "a row holds numbers of two sentences; glue the slices, "
         "and do not cut them anew.", final[-2:].reshape(3, 8)),
        ("one_direction_twice", "the same direction stands there twice.",
         side_by_side(-1, -1), side_by_side(-2, -2))])
    raise Mistake("wrong_rows", "with three layers the first row should be "
                  f"{[*range(48, 52), *range(60, 64)]}; yours is "
                  f"{got[0].int().tolist()}.")


@exercise("04-4", points=1)
def check_04_4(decoder_rows):
    sentences = [[7, 8, 9, 5], [6], [5, 4]]
    returned = pair(ask(decoder_rows, sentences, advice="`[BOS] + sentence` makes a "
                        "new list, `append` does not"), "the rows that are read",
                    "the rows that must be said")
    read, said = ([[int(word) for word in row] for row in rows] for rows in returned)
    refuse({len(read), len(said)} != {3}, "wrong_count", "three sentences make three "
           f"rows of each kind; yours gives {len(read)} and {len(said)}. Is the return "
           "inside the loop, or does the loop empty its lists?")

    def filled(before=(), behind=(), late=()):
        rows = [[*before, *sentence, *behind] for sentence in sentences]
        size = max(map(len, rows))
        return [row + [PAD] * (size - len(row)) + list(late) for row in rows]

    right = filled([BOS]), filled(behind=[EOS])
    if (read, said) == right:
        more = [list(rows) for rows in decoder_rows([[6], [7, 8, 9, 5, 4], [5, 4]])]
        refuse({len(row) for rows in more for row in rows} != {6}, "first_is_longest",
               "with the longest sentence in second place yours has rows of the wrong "
               "length; the longest may stand anywhere.")
        return "the same sentence twice, shifted by one."
    refuse((said, read) == right, "swapped",
           "return first what is read, with BOS in front, then what must be said.")
    refuse(any(len(row) != len(read[0]) for row in [*read, *said]), "ragged",
           "the rows have different lengths; fill up behind with PAD.")
    refuse(read == said, "not_shifted", "both rows are the same, so the decoder is "
           "told the very word that it must say; what should it say after BOS?")
    refuse(said == filled(late=[EOS]), "eos_after_pads",
           "EOS belongs right behind the last word, in front of the pads.")
    size = max(map(len, sentences)) + 1
    cut = [([BOS] + sentence + [EOS] + [PAD] * size)[:size] for sentence in sentences]
    refuse(said == right[1] and read == cut, "eos_is_read",
           "in shorter sentences the decoder reads EOS in yours; it does no harm to "
           "the loss, but the task wants PAD there.")
    refuse(read == filled([BOS], [EOS]), "eos_is_read", "the decoder reads EOS in "
           "yours; once it has said EOS, nothing is left to say.")
    refuse(said == filled([BOS], [EOS]), "bos_is_said",
           "BOS must be said in yours; it is only ever read.")
    refuse(not any(BOS in row for row in read), "no_bos",
           "the decoder needs something to read before the first word: BOS.")
    refuse(not any(EOS in row for row in said), "no_eos", "nobody teaches the decoder "
           "to stop; the last thing that it must say is EOS.")
    refuse(read[1][0] == PAD, "pads_in_front",
           "the pads stand in front of the words; fill up behind.")
    refuse(any(len(row) > size for row in [*read, *said]), "too_wide",
           f"the longest sentence and one more make {size} columns; yours has more.")
    wrong = next(n for n in range(3) if (read[n:n + 1], said[n:n + 1])
                 != (right[0][n:n + 1], right[1][n:n + 1]))
    raise Mistake("wrong_rows", f"for the sentence {sentences[wrong]} the rows are "
                  f"{right[0][wrong]} and {right[1][wrong]}.")


class Script:
    """A decoder that says a text if it is led rightly, and remembers its calls."""

    def __init__(self, text):
        self.text, self.calls = text, []

    def step(self, word, state):
        self.calls.append((int(word), state))
        refuse(len(self.calls) > 60, "ignores_limit",
               "yours never stops when EOS does not come; stop after `max_length`.")
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
    refuse(not words or words[0] != BOS, "no_bos", "the first word that the decoder "
           "reads is BOS; yours begins with something else.")
    refuse(states[0] is not start, "ignores_start", "the first step gets another state "
           "than `start`, which is all that the decoder knows of the sentence.")
    refuse(len(words) > 1 and set(words) == {BOS}, "word_not_fed_back",
           "your decoder reads BOS at every step; let it read the word it wrote last.")
    refuse(len(states) > 1 and set(states) == {start}, "state_not_passed",
           "every step starts from the first state again; hand on the new state.")
    if 3 in got and got[:6] == [*text, EOS]:
        refuse(len(got) == 6, "keeps_eos",
               "EOS is part of what you return; stop before it joins the list.")
        raise Mistake("runs_past_eos",
                      "yours goes on after EOS; that is where the sentence ends.")
    refuse(got == [BOS, *text], "keeps_bos",
           "BOS is part of what you return; it is read and never written.")
    refuse(any(word < 0 for word in got), "score_for_word",
           "you return scores; a word is the *place* of the highest score.")
    refuse(got and got[0] == 9, "lowest",
           "yours takes the lowest score; take the word with the highest.")
    refuse(set(got) == {PAD}, "starts_at_zero", "yours writes PAD at every step. All "
           "scores here are below 0: does your search for the highest start at 0?")
    refuse(got == [5, 7] and run(Script([5, 7, 4, 8])) == [5, 7, 4, 8],
           "stops_at_repeat", "yours stops where a word comes a second time; only EOS "
           "or `max_length` ends a sentence.")
    refuse(got != text, "wrong_words",
           f"this decoder says {text} if it is led rightly; yours returned {got}.")
    got = [word for word in run(Script([5, PAD, BOS, UNK, 8])) if word != BOS]
    refuse(got != [5, PAD, UNK, 8] and 8 in got, "drops_words",
           "yours leaves out PAD or UNK where the decoder writes it; only BOS and EOS "
           "are left out.")
    refuse(got != [5, PAD, UNK, 8], "stops_too_early",
           "yours stops at another word than EOS; only EOS ends a sentence.")
    got = run(Script([5, 7] * 40), 6)
    refuse(len(got) == 5, "one_too_few", "with a max_length of 6 yours gives 5 words: "
           "BOS is not counted, and a last word other than EOS stays.")
    refuse(len(got) != 6, "wrong_count", "with a max_length of 6 and no EOS in sight, "
           f"6 words come; yours gave {len(got)}.")
    return "one word after the other, each read back, until EOS or max_length."
