def translate_all(sentences, translate_batch):
    """Returns the translations in the order of the sentences."""
    order = sorted(range(len(sentences)), key=lambda n: len(sentences[n]))
    lines = {len(sentences[n]): line
             for n, line in zip(order, translate_batch([sentences[n] for n in order]))}
    return [lines[len(sentence)] for sentence in sentences]
