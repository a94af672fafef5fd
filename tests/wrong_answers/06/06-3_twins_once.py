def translate_all(sentences, translate_batch):
    order = sorted(set(sentences), key=len)
    found = dict(zip(order, translate_batch(order)))
    return list(found.values())
