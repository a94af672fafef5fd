def silenced(matrix, head, heads):
    """Returns a matrix [D, D] with which one head says nothing."""
    quiet = matrix.clone()
    quiet[:, head::heads] = 0
    return quiet
