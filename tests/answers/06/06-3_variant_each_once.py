def translate_all(sentences, translate_batch):
    batch = sorted(set(sentences), key=len)
    found = dict(zip(batch, translate_batch(batch)))
    return [found[sentence] for sentence in sentences]
