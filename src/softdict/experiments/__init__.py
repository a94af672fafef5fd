"""The book's full experiments, by name."""

from softdict.experiments import memory, padding, translation

EXPERIMENTS = {experiment.name: experiment
               for experiment in [*translation.EXPERIMENTS, *padding.EXPERIMENTS, *memory.EXPERIMENTS]}
