def translate_all(sentences, translate_batch):
    """Returns the translations in the order of the sentences."""
    order = sorted(sentences, key=len)
    answers = [None] * len(sentences)
    for sentence, line in zip(order, translate_batch(order)):
        answers[sentences.index(sentence)] = line
    return answers
