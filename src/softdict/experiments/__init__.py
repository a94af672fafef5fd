"""The book's full experiments, by name."""

from softdict.experiments import (
    ablations, averaged, baselines, bigrams, costs, endings, flags, hybrids, keeping,
    maps, memory, padding, places, pretraining, recall, roles, silence, stacks,
    today, translation, writing)

EXPERIMENTS = {
    experiment.name: experiment
    for part in (baselines, translation, ablations, padding, memory, costs, endings,
                 flags, keeping, maps, writing, roles, pretraining, today, bigrams,
                 places, silence, averaged, recall, hybrids, stacks)
    for experiment in part.EXPERIMENTS}
