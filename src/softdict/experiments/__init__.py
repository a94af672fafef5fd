"""The book's full experiments, by name."""

from softdict.experiments import (
    ablations, baselines, bigrams, costs, endings, flags, maps, memory, padding, places,
    pretraining, roles, silence, today, translation, writing)

EXPERIMENTS = {
    experiment.name: experiment
    for part in (baselines, translation, ablations, padding, memory, costs, endings,
                 flags, maps, writing, roles, pretraining, today, bigrams, places,
                 silence)
    for experiment in part.EXPERIMENTS}
