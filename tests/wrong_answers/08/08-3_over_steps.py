def hit_share(weights, links):
    linked = {j for _, j in links}
    best = weights.argmax(dim=0)
    return sum(any(i < len(best) and int(best[i]) == j for i, k in links if k == j)
               for j in linked) / len(linked)
