"""End state of the live script for chapter 10: a right split, and a wrong one."""

import torch
from softdict.attention import attention

words, T, D, H, K = "the dog bit Mina".split(), 4, 4, 2, 2
# 203 is word 2, number 3
labelled = 100 * torch.arange(T)[:, None] + torch.arange(D)    # [T, D]
attend = attention    # from query, key, value: context and weights

for word, row in zip(words, labelled.tolist()):
    print(f"{word:5}", *[f"{number:03d}" for number in row])

wrong = labelled.view(H, T, K)    # [H, T, K]
print(wrong[0].tolist())

right = labelled.view(T, H, K).transpose(0, 1)    # [H, T, K]
print(right[0].tolist())

splits = {"view alone": lambda x: x.view(H, T, K),
          "split, then swap": lambda x: x.view(T, H, K).transpose(0, 1)}
torch.manual_seed(0)
before = torch.randn(T, D)
after = before.clone()
after[3] = torch.randn(D)    # another last word
notices = {}
for name, split in splits.items():
    old, new = (attend(*[split(x)] * 3)[0] for x in (before, after))
    notices[name] = not torch.equal(old[0, 0], new[0, 0])    # part of word 0
    print(f"{name:17} the first word notices: {notices[name]}")

try:
    right.view(T, D)
except RuntimeError:
    print("view refuses")
print("reshape:  ", right.reshape(T, D)[0].tolist())
print("swap back:", right.transpose(0, 1).flatten(1)[0].tolist())


def check():
    """Asserts what the script shows."""
    from softdict.heads import merge_heads, split_heads

    assert wrong[0].tolist() == [[0, 1], [2, 3], [100, 101], [102, 103]]
    assert right[0].tolist() == [[0, 1], [100, 101], [200, 201], [300, 301]]
    assert notices == {"view alone": False, "split, then swap": True}
    assert torch.equal(right, split_heads(labelled[None], H)[0])
    assert torch.equal(right.transpose(0, 1).flatten(1), labelled)
    assert torch.equal(merge_heads(right[None])[0], labelled)
    assert right.reshape(T, D)[0].tolist() == [0, 1, 100, 101]


check()
