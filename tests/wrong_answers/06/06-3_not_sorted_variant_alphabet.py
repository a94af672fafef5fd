

def translate_all(sentences, translate_batch):
    order = sorted(range(len(sentences)), key=lambda n: sentences[n])
    lines = translate_batch([sentences[n] for n in order])
    back = sorted(range(len(order)), key=lambda place: order[place])
    return [lines[place] for place in back]
