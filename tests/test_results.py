"""The committed results: none is missing or left over, and each would still come out.
"""

import json

import pytest
import torch

from softdict.experiments import EXPERIMENTS
from softdict.experiments.runner import RESULTS, TOLERANCE, difference, file_of


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


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_first_five_numbers_still_come_out(name):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        assert difference(EXPERIMENTS[name], EXPERIMENTS[name].seeds[0]) <= TOLERANCE
    finally:
        torch.set_num_threads(threads)
