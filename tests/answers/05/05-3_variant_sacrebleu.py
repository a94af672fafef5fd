from sacrebleu.metrics import BLEU


def bleu_of(hypothesis, reference):
    metric = BLEU(tokenize="none", smooth_method="none", force=True)
    return metric.corpus_score([" ".join(hypothesis)], [[" ".join(reference)]]).score
