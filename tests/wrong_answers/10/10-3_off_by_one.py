def silenced(matrix, head, heads):
    """Returns a matrix [D, D] with which one head says nothing."""
    K = len(matrix) // heads
    quiet = matrix.clone()
    quiet[:, (head - 1) * K:head * K] = 0
    return quiet
