def translate_all(sentences, translate_batch):
    order = sorted(range(len(sentences)), key=lambda n: len(sentences[n]))
    lines = translate_batch([sentences[n] for n in order])
    for number, place in enumerate(order):
        lines[place] = lines[number]
    return lines
