def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    pairs = zip(hypothesis, reference, content)
    return sum(matters and one == two for one, two, matters in pairs), sum(content)
