"""Start state of the live script for chapter 02: a shop, and features of its words."""

import torch

price = {"computer": 9.0, "dog": 2.0, "cat": 3.0}
#                                     animal pet bark young machine
feature = {"computer": torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0]),
           "dog": torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0]),
           "cat": torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]),
           "puppy": torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0])}
