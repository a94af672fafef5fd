def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    left, found = list(hypothesis), 0
    for word in reference:
        if word in left:
            left.remove(word)
            found += 1
    return found, sum(content)
