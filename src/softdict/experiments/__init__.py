"""The book's full experiments, by name."""

from softdict.experiments import costs, endings, memory, padding, translation

EXPERIMENTS = {experiment.name: experiment for part in (translation, padding, memory, costs, endings)
               for experiment in part.EXPERIMENTS}
