def silenced(matrix, head, heads):
    """Returns a matrix [D, D] with which one head says nothing."""
    K = len(matrix) // heads
    quiet = matrix.clone()
    quiet[:] = 0
    quiet[:, head * K:(head + 1) * K] = matrix[:, head * K:(head + 1) * K]
    return quiet
