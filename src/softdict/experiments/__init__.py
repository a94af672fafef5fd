"""The book's full experiments, by name."""

from softdict.experiments import (
    ablations, baselines, costs, endings, maps, memory, padding, pretraining, roles,
    today, translation, writing)

EXPERIMENTS = {
    experiment.name: experiment
    for part in (baselines, translation, ablations, padding, memory, costs, endings,
                 maps, writing, roles, pretraining, today)
    for experiment in part.EXPERIMENTS}
