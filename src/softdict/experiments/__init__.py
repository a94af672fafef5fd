"""The book's full experiments, by name."""

from softdict.experiments import costs, endings, memory, padding, translation, writing

EXPERIMENTS = {experiment.name: experiment for part in (translation, padding, memory, costs, endings, writing)
               for experiment in part.EXPERIMENTS}
