def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    wanted = {word for word, matters in zip(reference, content) if matters}
    return len(wanted & set(hypothesis)), len(wanted)
