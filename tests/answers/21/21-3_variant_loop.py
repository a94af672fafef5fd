def blank_loss(logits, target):
    total, number = 0 * logits.sum(), 0
    for rows, words in zip(logits, target):
        for row, word in zip(rows, words.tolist()):
            if word:
                total = total + row.logsumexp(dim=0) - row[word]
                number += 1
    return total / max(number, 1)
