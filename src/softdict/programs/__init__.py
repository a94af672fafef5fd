"""What `python -m softdict` runs: training, translating and going on from a text."""
