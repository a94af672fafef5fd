"""Gives the missing key the score 0."""

import torch


def leave_one_out(scores, values):
    answers = []
    for i in range(len(scores)):
        changed = scores.clone()
        changed[i] = 0
        answers.append(torch.softmax(changed, dim=0) @ values)
    return torch.stack(answers)
