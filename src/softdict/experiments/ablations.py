"""The book's Transformer with one part changed, against itself with nothing changed."""

from softdict.experiments.runner import SEEDS, trained
from softdict.experiments.translation import system

# what nothing is changed in is the experiment "transformer", with five seeds
PARTS = {"smoothing": system("transformer", smoothing=0.1),
         "warmup": system("transformer", warmup=200),
         "post": system("transformer", {"pre_norm": False}),
         "learned": system("transformer", {"positional_encoding": "learned"}),
         "one-head": system("transformer", {"heads": 1}),
         "untied": system("transformer", {"tied": False}),
         "no-dropout": system("transformer", {"dropout": 0.0})}

EXPERIMENTS = [
    trained(f"parts-{name}", "parts", changed.start, changed.finish, SEEDS[:2])
    for name, changed in PARTS.items()]
