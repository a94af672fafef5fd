"""End state of the live script for chapter 02: a soft lookup with a temperature."""

import torch

price = {"computer": 9.0, "dog": 2.0, "cat": 3.0}
#                                     animal pet bark young machine
feature = {"computer": torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0]),
           "dog": torch.tensor([1.0, 1.0, 1.0, 0.0, 0.0]),
           "cat": torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]),
           "puppy": torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0])}

try:
    print(price["puppy"])
except KeyError as error:
    print("KeyError:", error)

key = torch.stack([feature[name] for name in price])    # [S, K]
value = torch.tensor(list(price.values()))[:, None]     # [S, 1]
query = feature["puppy"]                                # [K]
scores = key @ query                                    # [S]
print(scores.tolist())

weights = scores.exp() / scores.exp().sum()    # [S]
print([round(weight, 3) for weight in weights.tolist()],
      round((weights @ value).item(), 2))

loud = key.clone()
loud[2] *= 3    # marks from 0 to 3
print((loud @ feature["dog"]).tolist())


def cosine(query, key):
    return key @ query / (key.norm(dim=1) * query.norm())    # [S]


print([round(score, 3) for score in cosine(feature["dog"], loud).tolist()])


def lookup(query, key, value, temperature):
    weights = torch.softmax(cosine(query, key) / temperature, dim=0)    # [S]
    return weights @ value, weights


for temperature in (100.0, 1.0, 0.1, 0.01):
    answer, weights = lookup(query, key, value, temperature)
    print(temperature, round(answer.item(), 2))


def check():
    """Asserts what the script shows."""
    from softdict.lookup import lookup as book_lookup

    assert scores.tolist() == [0.0, 3.0, 2.0]
    assert (loud @ feature["dog"]).tolist() == [0.0, 3.0, 6.0]
    assert cosine(feature["dog"], loud).argmax() == 1
    assert round(lookup(query, key, value, 0.01)[0].item(), 2) == 2.0
    assert round(lookup(query, key, value, 100.0)[0].item(), 1) == 4.7
    for temperature in (0.1, 1.0):
        theirs, _ = book_lookup(query[None], key, value, temperature=temperature)
        torch.testing.assert_close(lookup(query, key, value, temperature)[0], theirs[0])


check()
