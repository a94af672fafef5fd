"""The committed results: none is missing or left over, and each would still come out.

A third of the experiments is tried each day, so that the tests take no longer than two
minutes; `python -m softdict.experiments --check` tries them all, with every seed.
"""

import datetime
import json

import pytest
import torch

from softdict import runtime
from softdict.experiments import EXPERIMENTS
from softdict.experiments.runner import RESULTS, TOLERANCE, difference, file_of

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


@pytest.mark.parametrize("name", turn(EXPERIMENTS, datetime.date.today().toordinal()))
def test_the_first_five_numbers_still_come_out(name):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert difference(EXPERIMENTS[name], EXPERIMENTS[name].seeds[0]) <= TOLERANCE
    finally:
        torch.set_num_threads(threads)
