import copy



def start_apart(layer, N):
    """Returns an nn.ModuleList of N layers like this one, with new random numbers."""
    layers = [copy.deepcopy(layer) for _ in range(N)]
    for new in layers:
        for part in new.modules():
            if hasattr(part, "reset_parameters"):
                part.reset_parameters()
    return layers
