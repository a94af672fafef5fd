"""Each source gets a softmax of its own, and the contexts are added."""


def two_sources(query, first, second, first_allowed, second_allowed):
    found = []
    for states, allowed in ((first, first_allowed), (second, second_allowed)):
        scores = (states * query[:, None]).sum(-1)
        found.append(scores.masked_fill(~allowed, float("-inf")).softmax(-1))
    context = (found[0][..., None] * first).sum(1) + (found[1][..., None]
                                                      * second).sum(1)
    return context, found[0], found[1]
