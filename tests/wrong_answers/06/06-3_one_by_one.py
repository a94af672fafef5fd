def translate_all(sentences, translate_batch):
    """Returns the translations in the order of the sentences."""
    return [translate_batch([sentence])[0] for sentence in sentences]
