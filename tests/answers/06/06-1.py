def content_found(hypothesis, reference, content):
    """Returns how many content words are found, and how many there are."""
    left = list(hypothesis)
    found = wanted = 0
    for word, matters in zip(reference, content):
        if matters:
            wanted += 1
            if word in left:
                left.remove(word)
                found += 1
    return found, wanted
