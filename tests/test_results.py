"""The committed results: none is missing or left over, and each would still come out.

A third of the experiments is tried each day, so that the tests take no longer than two
minutes; `python -m softdict.experiments --check` tries them all, with every seed.
"""

import datetime
import json
from dataclasses import replace
from itertools import combinations

import pytest
import torch

from softdict import runtime, training
from softdict.experiments import EXPERIMENTS
from softdict.experiments.runner import RESULTS, TOLERANCE, file_of, stored
from softdict.training import train_on

# of a training; see the test that they tell enough
LOSSES, OF_LOSSES = 3, 2e-4
DAYS = 3    # until every experiment has had its turn


def turn(names, day):
    """Of all names those that are tried on a day, a number: every third, in turn."""
    return list(names)[day % DAYS::DAYS]


def test_every_experiment_has_its_results_and_every_result_its_experiment():
    wanted = {file_of(EXPERIMENTS[name], seed).name for name in EXPERIMENTS
              for seed in EXPERIMENTS[name].seeds}
    files = {file.name for file in RESULTS.glob("*.json")}
    assert files <= wanted, "results without an experiment"
    assert wanted <= files, "experiments without a result"


def test_every_result_says_where_it_comes_from():
    for file in RESULTS.glob("*.json"):
        record = json.loads(file.read_text(encoding="utf-8"))
        name, seed = file.stem.rsplit(".", 1)
        assert (record["command"]
                == f"python -m softdict.experiments {name} --seed {seed}")
        assert (record["experiment"], record["seed"]) == (name, int(seed))
        assert (record["hardware"] and record["date"]
                and {"python", "torch", "softdict"} <= set(record["versions"]))


def test_every_experiment_has_its_turn_once_in_three_days():
    days = [turn(EXPERIMENTS, day) for day in range(100, 103)]
    assert sorted(sum(days, [])) == sorted(EXPERIMENTS)
    assert max(map(len, days)) <= len(EXPERIMENTS) / DAYS + 1
    # no day takes all of a costly group: its names stand side by side
    assert turn("abcdefg", 0) == ["a", "d", "g"] and turn("abcdefg", 4) == ["b", "e"]


def test_the_offsets_chosen_on_valid_are_those_that_the_heads_were_compared_with():
    [rivals], trained = (runtime.results(name) for name in ("roles-offsets", "roles"))
    for name, row in rivals["result"].items():
        for record in trained:
            known = record["result"]["relations"][name]
            assert (row["rows"], row["valid offset"]) == (known["rows"],
                                                          known["offset"])
            assert row["valid"] == pytest.approx(known["offset iid"], rel=1e-3)
        assert row["iid"] >= row["valid"]


def apart(one, other, count, tolerance):
    """Whether the first numbers of two results differ by more than the tolerance."""
    pairs = zip(one[:count], other[:count])
    return any(abs(mine - its) > tolerance * abs(its) for mine, its in pairs)


def test_three_losses_tell_any_two_trainings_apart_that_five_do():
    firsts = [stored(one, one.seeds[0])["first"] for one in EXPERIMENTS.values()]
    told = [[apart(*pair, count, tolerance) for pair in combinations(firsts, 2)]
            for count, tolerance in ((LOSSES, OF_LOSSES), (5, TOLERANCE))]
    assert sum(told[1]) > len(told[1]) - 100
    assert all(ours for ours, five in zip(*told) if five)


def three(state, *given):
    """`train_on` for three updates at most."""
    state.settings = replace(state.settings,
                             updates=min(LOSSES, state.settings.updates))
    return train_on(state, *given)


@pytest.mark.parametrize("name", turn(EXPERIMENTS, datetime.date.today().toordinal()))
def test_the_first_numbers_still_come_out(name, monkeypatch):
    monkeypatch.setattr(training, "train_on", three)
    seed, threads = EXPERIMENTS[name].seeds[0], torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        today = EXPERIMENTS[name].first(seed)
    finally:
        torch.set_num_threads(threads)
    then = stored(EXPERIMENTS[name], seed)["first"]
    if len(today) == LOSSES < len(then):
        assert today == pytest.approx(then[:LOSSES], rel=OF_LOSSES)
    else:
        assert today == pytest.approx(then, rel=TOLERANCE)
