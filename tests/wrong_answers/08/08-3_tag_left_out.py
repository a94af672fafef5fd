def hit_share(weights, links):
    linked = {j for _, j in links}
    hits = [(int(weights[j, 1:].argmax()) + 1, j) in links for j in linked]
    return sum(hits) / len(hits)
