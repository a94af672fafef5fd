def translate_all(sentences, translate_batch):
    """Returns the translations in the order of the sentences."""
    order = sorted(range(len(sentences)), key=lambda n: len(sentences[n]))
    lines = translate_batch([sentences[n] for n in order])
    return [lines[n] for n in order]
