"""Linear attention: a memory of fixed size, into which pairs are written.

The memory is a matrix, the state [..., K, D]. Chapter 23 builds it. Papers call the
strength beta and the gate alpha, and some write the state with its axes exchanged.
"""

import torch


def empty(key, value):
    """A memory in which nothing is written yet: zeros.

    key [..., T, K], value [..., T, D]; returns state [..., K, D]
    """
    return key.new_zeros(*key.shape[:-2], key.shape[-1], value.shape[-1])


def write(state, key, value):
    """A memory with T pairs more: the outer product of each key and its value is added.

    state [..., K, D], key [..., T, K], value [..., T, D]; returns state [..., K, D]
    Kohonen 1972; Katharopoulos et al. 2020, section 3.3
    """
    return state + key.mT @ value    # [..., K, D]


def read(state, query):
    """What each query finds in a memory.

    state [..., K, D], query [..., T, K]; returns answers [..., T, D]
    """
    return query @ state    # [..., T, D]


def linear_attention(query, key, value, state=None):
    """What each query finds when its own pair and all before it are written: sums.

    query [..., T, K], key [..., T, K], value [..., T, D]
    state [..., K, D] holds what was written before; None is an empty one
    returns answers [..., T, D] and the state after the last pair
    all words at once, without softmax: Katharopoulos et al. 2020, section 3.2
    """
    state = empty(key, value) if state is None else state
    scores = (query @ key.mT).tril()                   # [..., T, T]
    answers = read(state, query) + scores @ value      # [..., T, D]
    return answers, write(state, key, value)


def delta_write(state, key, value, strength, gate):
    """A memory that forgets a little, then writes the part of a pair that is new to it.

    state [..., K, D], key [..., 1, K], value [..., 1, D]
    strength [..., 1, 1] and gate [..., 1, 1] are from 0 to 1
    returns state [..., K, D]
    Yang et al. 2025, section 3.1; a gate of 1 is the delta rule, Schlag et al. 2021
    """
    state = gate * state
    return write(state, key, strength * (value - read(state, key)))


def gated_delta_rule(query, key, value, strength, gate, state=None):
    """What each query finds when its own pair and all before it are written.

    query [..., T, K], key [..., T, K], value [..., T, D]
    strength [..., T, 1] and gate [..., T, 1] are from 0 to 1; keys have length 1
    state [..., K, D] holds what was written before; None is an empty one
    returns answers [..., T, D] and the state after the last pair
    word by word, as `delta_write` says: Yang et al. 2025, section 3
    """
    state, answers = empty(key, value) if state is None else state, []
    for q, *pair in zip(*(part.split(1, dim=-2)
                          for part in (query, key, value, strength, gate))):
        state = delta_write(state, *pair)
        answers.append(read(state, q))
    return torch.cat(answers, dim=-2), state


def gates_between(gate):
    """The share of word j's writing that remains at word i.

    it is the product of the gates of words j + 1 to i
    gate [..., T, 1]; returns [..., T, T], 0 where j comes after i
    """
    row = gate.expand(*gate.shape[:-1], gate.shape[-2])    # [..., T, T]
    row = row.tril(-1) + torch.ones_like(row).triu()       # [..., T, T]
    return row.cumprod(dim=-2).tril()


def gated_delta_block(query, key, value, strength, gate, state=None):
    """As `gated_delta_rule`, all words of a block at once.

    query [..., T, K], key [..., T, K], value [..., T, D], strength [..., T, 1],
    gate [..., T, 1], state [..., K, D]; returns answers [..., T, D] and the state
    what each word writes depends on what the earlier ones wrote: one triangular system
    of T equations, Yang et al. 2024, section 3, and 2025, section 3.3
    """
    state = empty(key, value) if state is None else state
    left = gates_between(gate)                          # [..., T, T]
    old = gate.cumprod(dim=-2)                          # [..., T, 1]
    news = value - old * read(state, key)               # [..., T, D]
    written = torch.linalg.solve_triangular(
        strength * left * (key @ key.mT), strength * news, upper=False,
        unitriangular=True)                             # [..., T, D]
    answers = old * read(state, query) + (left * (query @ key.mT)) @ written
    state = old[..., -1:, :] * state                    # [..., K, D]
    return answers, write(state, left[..., -1:, :].mT * key, written)


def in_blocks(rule, size, *parts, state=None):
    """All answers of a rule that gets `size` words at a time and the state so far.

    rule is `linear_attention`, `gated_delta_rule` or `gated_delta_block`; parts are
    its tensors, [..., T, K] and so on; the last block may be shorter
    returns answers [..., T, D] and the state [..., K, D]
    raises ValueError for a size below 1
    """
    if size < 1:
        raise ValueError(f"a block has at least 1 word; got a size of {size}")
    answers = []
    for block in zip(*(part.split(size, dim=-2) for part in parts)):
        answer, state = rule(*block, state)
        answers.append(answer)
    return torch.cat(answers, dim=-2), state
