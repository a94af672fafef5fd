def paired(first, second, draws):
    def gain(numbers):
        return 100 * sum(second[n] - first[n] for n in numbers) / len(numbers)

    k = len(draws) // 40
    kept = sorted(gain(draw) for draw in draws)[k:-k]
    return gain(range(len(first))), kept[0], kept[-1]
