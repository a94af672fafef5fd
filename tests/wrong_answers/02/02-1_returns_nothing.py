def temperature_for(scores, share):
    low, high = 0.001, 1000.0
    print((low * high) ** 0.5)
