import math

from softdict.vocab import PAD


def perplexity(batches):
    losses = []
    for logits, target in batches:
        for scores, words in zip(logits.tolist(), target.tolist()):
            for row, word in zip(scores, words):
                if word != PAD:
                    total = sum(math.exp(score) for score in row)
                    losses.append(-math.log(math.exp(row[word]) / total))
    return math.exp(sum(losses) / len(losses))
