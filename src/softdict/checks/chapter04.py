"""Checks for the exercises of chapter 04, two networks that translate."""

import math
from collections import Counter

import torch

from softdict.checks.result import Mistake, attempt, close, exercise
from softdict.vocab import BOS, EOS, PAD


def one_tensor(returned, shape, what):
    """The reader's tensor; raises Mistake unless it has this shape."""
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, torch.Tensor):
        raise Mistake("no_tensor", f"return one tensor, {what}; yours is of type {type(returned).__name__}.")
    if tuple(returned.shape) != shape:
        raise Mistake("wrong_shape", f"return {what}, {list(shape)} here; yours is {list(returned.shape)}.")
    return returned.detach().double()


@exercise("04-1", points=3)
def check_04_1(read_batch):
    torch.manual_seed(4)
    inputs, lengths = torch.randn(4, 6, 5), torch.tensor([6, 2, 4, 1])
    W, U, b = torch.randn(3, 5), torch.randn(3, 3), torch.randn(3)

    def states(words=lambda n: inputs[n, :lengths[n]], squeeze=torch.tanh, memory=1.0, bias=1.0, reset=True, recall=U):
        state, found = torch.zeros(3), []
        for n in range(4):
            state = torch.zeros(3) if reset else state
            for word in words(n):
                state = squeeze(W @ word + memory * (recall @ state) + bias * b)
            found.append(state)
        return torch.stack(found)

    def tanh_inside():
        found = []
        for n in range(4):
            state = torch.zeros(3)
            for word in inputs[n, :lengths[n]]:
                state = torch.tanh(W @ word) + U @ state + b
            found.append(state)
        return torch.stack(found)

    got = one_tensor(read_batch(inputs.clone(), lengths.clone(), W.clone(), U.clone(), b.clone()), (4, 3),
                     "the final state of each sentence, [B, D]")
    if close(got, states()):
        given = inputs.clone()
        given[torch.arange(6) >= lengths[:, None]] = float("nan")
        if not close(one_tensor(read_batch(given, lengths.clone(), W.clone(), U.clone(), b.clone()), (4, 3), ""), got):
            raise Mistake("touches_pads", "pads may hold anything, even nan, and yours computes with them; "
                                          "nan times 0 is nan, so never read them.")
        return "each sentence is read from a fresh start to its own last word."
    real = torch.arange(6) < lengths[:, None]
    likely = [
        ("reads_pads", states(lambda n: inputs[n]), "yours reads the pads too; stop each sentence at its own length."),
        ("pads_take_steps", states(lambda n: inputs[n] * real[n, :, None]),
         "you made the pads zero and read them all the same: a zero still takes a step, and the old state fades."),
        ("one_word_short", states(lambda n: inputs[n, :lengths[n] - 1]),
         "yours stops one word before the last real word."),
        ("not_reset", states(reset=False),
         "the second sentence starts from the first one's state; start each from zeros."),
        ("no_memory", states(memory=0.0), "the old state never reaches the new one; add U times the state."),
        ("U_transposed", states(recall=U.T), "you multiply by U from the wrong side: `U @ state`."),
        ("no_tanh", states(squeeze=lambda state: state), "yours never squeezes the sum with tanh."),
        ("no_bias", states(bias=0.0), "yours leaves out b."),
        ("tanh_inside", tanh_inside(), "your tanh ends after W times the word; it goes around the whole sum."),
        ("backwards", states(lambda n: inputs[n, :lengths[n]].flip(0)), "yours reads from the last word to the first."),
        ("shortest_only", states(lambda n: inputs[n, :1]),
         "yours reads as many words of each sentence as the shortest has."),
    ]
    for code, wrong, sentence in likely:
        if close(got, wrong):
            raise Mistake(code, sentence)
    first = next(n for n in range(4) if not close(got[n], states()[n]))
    raise Mistake("wrong_states", f"the state of sentence {first} is wrong; its first {lengths[first]} words are real.")


@exercise("04-2", points=1)
def check_04_2(decoder_rows):
    sentences = [[7, 8, 9, 5], [6], [5, 4]]
    given = [list(sentence) for sentence in sentences]
    returned = decoder_rows(given)
    if returned is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        raise Mistake("not_two_things", "return two things: the rows that are read, and the rows that must be said.")
    read, said = ([[int(word) for word in row] for row in rows] for rows in returned)
    if given != sentences:
        raise Mistake("changes_arguments", "the sentences of the caller have changed; `[BOS] + sentence` makes a new "
                                           "list, `append` does not.")

    def filled(before=(), behind=(), late=()):
        rows = [[*before, *sentence, *behind] for sentence in sentences]
        size = max(map(len, rows))
        return [row + [PAD] * (size - len(row)) + list(late) for row in rows]

    right = filled([BOS]), filled(behind=[EOS])
    if (read, said) == right:
        more = [list(rows) for rows in decoder_rows([[6], [7, 8, 9, 5, 4], [5, 4]])]
        if {len(row) for rows in more for row in rows} != {6}:
            raise Mistake("first_is_longest", "with the longest sentence in second place yours has rows of the wrong "
                                              "length; the longest may stand anywhere.")
        return "the same sentence twice, shifted by one."
    if (said, read) == right:
        raise Mistake("swapped", "return first what is read, with BOS in front, then what must be said.")
    if any(len(row) != len(read[0]) for row in [*read, *said] if read):
        raise Mistake("ragged", "the rows have different lengths; fill up behind with PAD.")
    if read == said:
        raise Mistake("not_shifted", "both rows are the same, so the decoder is told the very word that it must say; "
                                     "what should it say after BOS?")
    if said == filled(late=[EOS]):
        raise Mistake("eos_after_pads", "EOS belongs right behind the last word, in front of the pads.")
    size = max(map(len, sentences)) + 1
    if said == right[1] and read == [([BOS] + s + [EOS] + [PAD] * size)[:size] for s in sentences]:
        raise Mistake("eos_is_read", "in shorter sentences the decoder reads EOS in yours; it does no harm to the "
                                     "loss, but the task wants PAD there.")
    if read == filled([BOS], [EOS]):
        raise Mistake("eos_is_read", "the decoder reads EOS in yours; once it has said EOS, nothing is left to say.")
    if said == filled([BOS], [EOS]):
        raise Mistake("bos_is_said", "BOS must be said in yours; it is only ever read.")
    if not any(BOS in row for row in read):
        raise Mistake("no_bos", "the decoder needs something to read before the first word: BOS.")
    if not any(EOS in row for row in said):
        raise Mistake("no_eos", "nobody teaches the decoder to stop; the last thing that it must say is EOS.")
    if read and read[1][0] == PAD:
        raise Mistake("pads_in_front", "the pads stand in front of the words; fill up behind.")
    if any(len(row) > size for row in [*read, *said]):
        raise Mistake("too_wide", f"the longest sentence and one more make {size} columns; yours has {len(read[0])}.")
    wrong = next(n for n in range(3) if (read[n:n + 1], said[n:n + 1]) != (right[0][n:n + 1], right[1][n:n + 1]))
    raise Mistake("wrong_rows", f"for the sentence {sentences[wrong]} the rows are {right[0][wrong]} "
                                f"and {right[1][wrong]}.")


class Script:
    """A decoder that says a given text if it is led rightly, and remembers how it was led."""

    def __init__(self, text):
        self.text, self.calls = text, []

    def step(self, word, state):
        self.calls.append((int(word), state))
        if len(self.calls) > 60:
            raise Mistake("ignores_limit", "yours never stops when EOS does not come; stop after `limit` words.")
        place = state[1] if isinstance(state, tuple) else 0
        led = [BOS, *self.text]
        best = [*self.text, EOS][min(place, len(self.text))] if int(word) == led[min(place, len(self.text))] else 9
        scores = [-8.0 - number for number in range(10)]    # all below 0, all different
        scores[best] = -1.0
        return scores, ("state", place + 1)


@exercise("04-3", points=2)
def check_04_3(write):
    text = [5, 7, 7, 4, 8]
    script = Script(text)
    start = ("state", 0)
    got = write(script.step, start, 20)
    if got is None:
        raise Mistake("returns_nothing", "your function returns None; is there a return at its end?")
    got = [int(word) for word in got]
    words, states = [word for word, _ in script.calls], [state for _, state in script.calls]
    if not words or words[0] != BOS:
        raise Mistake("no_bos", "the first word that the decoder reads is BOS; yours begins with something else.")
    if states[0] is not start:
        raise Mistake("ignores_start", "the first step gets another state than `start`, "
                                       "which is all that the decoder knows of the sentence.")
    if len(words) > 1 and set(words) == {BOS}:
        raise Mistake("word_not_fed_back", "your decoder reads BOS at every step; let it read the word it wrote last.")
    if len(states) > 1 and set(states) == {start}:
        raise Mistake("state_not_passed", "every step starts from the first state again; hand on the new state.")
    if 3 in got and got[:6] == [*text, EOS]:
        if len(got) == 6:
            raise Mistake("keeps_eos", "EOS is part of what you return; stop before it joins the list.")
        raise Mistake("runs_past_eos", "yours goes on after EOS; that is where the sentence ends.")
    if got == [BOS, *text]:
        raise Mistake("keeps_bos", "BOS is part of what you return; it is read and never written.")
    if any(word < 0 for word in got):
        raise Mistake("score_for_word", "you return scores; a word is the *place* of the highest score.")
    if got and got[0] == 9:
        raise Mistake("lowest", "yours takes the lowest score; take the word with the highest.")
    if got != text:
        raise Mistake("wrong_words", f"this decoder says {text} if it is led rightly; yours returned {got}.")
    stranger = Script([5, PAD, BOS, 8])
    if [int(word) for word in write(stranger.step, start, 20)] != [5, PAD, BOS, 8]:
        raise Mistake("stops_too_early", "yours stops at another word than EOS; only EOS ends a sentence.")
    endless = Script([5, 7] * 40)
    got = [int(word) for word in write(endless.step, start, 6)]
    if len(got) != 6:
        raise Mistake("wrong_count", f"with a limit of 6 and no EOS in sight, 6 words come; yours gave {len(got)}.")
    return "one word after the other, each read back, until EOS or the limit."


def bleu_variant(hypothesis, reference, clip=True, longest=4, mean="geometric", penalty="right", over="hypothesis"):
    """BLEU of one sentence from 0 to 100, or one of its common misreadings."""
    shares = []
    for n in range(1, longest + 1):
        found, wanted = (Counter(zip(*(words[i:] for i in range(n)))) for words in (hypothesis, reference))
        if clip == "sets":
            shares.append(len(found.keys() & wanted.keys()) / len(found))
            continue
        hits = (found & wanted).total() if clip else sum(count for piece, count in found.items() if piece in wanted)
        shares.append(hits / (found if over == "hypothesis" else wanted).total())
    written, asked = len(hypothesis), len(reference)
    factor = {"right": min(1.0, math.exp(1 - asked / written)), "none": 1.0, "always": math.exp(1 - asked / written),
              "ratio": min(1.0, written / asked), "upside down": min(1.0, math.exp(1 - written / asked))}[penalty]
    middle = math.prod(shares) ** (1 / longest) if mean == "geometric" else sum(shares) / longest
    return 100 * factor * (math.prod(shares) if mean == "none" else middle)


@exercise("04-4", points=3)
def check_04_4(bleu_of):
    cases = [("the old dog chased the cat today", "the old dog chased the small cat today"),
             ("today the dog saw the cat and the dog saw the cat", "the dog saw the cat and slept"),
             ("a b c d e f x", "a b c d e f g h i"),
             ("he saw the hen and he ran", "then he saw the hen and the cat ran")]
    cases = [(hypothesis.split(), reference.split()) for hypothesis, reference in cases]
    zero = "if no piece of some length is found, BLEU is 0; a logarithm of that share stops with an error."
    got = [float(attempt(lambda: bleu_of(list(one), list(two)), ("math domain error", "log_of_zero", zero),
                         ("expected a positive input", "log_of_zero", zero))) for one, two in cases]
    likely = [
        ("not_percent", None, "yours goes from 0 to 1; multiply by 100."),
        ("no_clipping", dict(clip=False), "a piece that is written twice counts twice in yours, even if the reference "
                                          "has it once."),
        ("sets", dict(clip="sets"), "yours counts different pieces; a piece that stands twice must count twice."),
        ("arithmetic_mean", dict(mean="arithmetic"), "yours adds the four shares and divides; multiply, and take the "
                                                     "fourth root."),
        ("no_root", dict(mean="none"), "you multiplied the four shares; the fourth root is missing."),
        ("no_penalty", dict(penalty="none"), "a hypothesis that is too short must pay the brevity penalty."),
        ("penalty_always", dict(penalty="always"),
         "yours rewards a hypothesis that is too long; the penalty is at most 1."),
        ("ratio_penalty", dict(penalty="ratio"), "your penalty is the ratio of the lengths; it is exp(1 - reference / "
                                                 "hypothesis)."),
        ("penalty_upside_down", dict(penalty="upside down"), "your penalty falls on hypotheses that are too long."),
        ("recall", dict(over="reference"), "yours divides by the pieces of the reference; divide by those written."),
        ("words_only", dict(longest=1), "yours counts single words only; pieces of 2, 3 and 4 belong to it."),
        ("pairs_only", dict(longest=2), "yours stops at pieces of two words; go up to four."),
        ("triples_only", dict(longest=3), "yours stops at pieces of three words; go up to four."),
        ("five_words", dict(longest=5), "yours goes up to pieces of five words; stop at four."),
    ]
    right = [bleu_variant(*case) for case in cases]
    if not all(close(mine, wanted, 0.01) for mine, wanted in zip(got, right)):
        if all(close(mine, wanted, 0.01) for mine, wanted in zip(got[:3], right)):
            raise Mistake("substrings", "*he* is not a word of *then*; compare words and not letters.")
        for code, options, sentence in likely:
            wrong = [bleu_variant(*case, **(options or {})) / (100 if options is None else 1) for case in cases]
            if all(close(mine, other, 0.01 if options else 0.0001) for mine, other in zip(got, wrong)):
                raise Mistake(code, sentence)
        n = next(n for n in range(4) if not close(got[n], right[n], 0.01))
        raise Mistake("wrong_score", f"for {' '.join(cases[n][0])!r} against {' '.join(cases[n][1])!r} BLEU is "
                                     f"{right[n]:.2f}; yours is {got[n]:.2f}.")
    nothing = attempt(lambda: float(bleu_of("a b c d e".split(), "a b x d e".split())),
                      ("math domain error", "log_of_zero", zero), ("expected a positive input", "log_of_zero", zero))
    if not close(nothing, 0.0, 0.01):
        raise Mistake("zero_share", f"where no three words in a row are found, BLEU is 0; yours is {nothing:.2f}.")
    return "shares, their geometric mean, and a penalty for what is too short."


@exercise("04-5", points=1)
def check_04_5(join):
    final = torch.arange(24.0).reshape(2, 3, 4)
    returned = join(final.clone())
    if isinstance(returned, torch.Tensor) and tuple(returned.shape) == (3, 4):
        code, sentence = ("adds", "yours adds the two readers; keep both, side by side.")
        if not close(returned, final.sum(dim=0)):
            code, sentence = ("one_reader", "yours keeps four numbers of each sentence; both readers have four.")
        raise Mistake(code, sentence)
    if isinstance(returned, torch.Tensor) and tuple(returned.shape) == (6, 4):
        raise Mistake("stacked", "you glued the sheets along the sentences; glue them along the last axis.")
    got = one_tensor(returned, (3, 8), "one row for each sentence, [B, 2*K]")
    likely = [
        ("mixes_the_batch", final.reshape(3, 8),
         "a row holds numbers of two sentences, as before; glue the sheets, and do not cut them anew."),
        ("back_first", torch.cat([final[1], final[0]], dim=-1), "the reader from the front comes first."),
        ("interleaved", final.permute(1, 2, 0).reshape(3, 8),
         "the numbers of the two readers alternate; first all of one, then all of the other."),
        ("mixes_the_numbers", final.permute(2, 0, 1).reshape(3, 8),
         "a row holds numbers of all sentences; each row is about one."),
        ("one_reader_twice", torch.cat([final[0], final[0]], dim=-1), "the same reader stands there twice."),
    ]
    if close(got, torch.cat([final[0], final[1]], dim=-1)):
        return "each row holds both readers of its own sentence."
    for code, wrong, sentence in likely:
        if close(got, wrong):
            raise Mistake(code, sentence)
    raise Mistake("wrong_rows", f"the first row should be {[*range(4), *range(12, 16)]}; "
                                f"yours is {got[0].int().tolist()}.")
