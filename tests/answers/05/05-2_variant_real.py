from softdict.vocab import PAD


def loss_of(logits, target):
    real = target != PAD                                          # [B, T]
    logs = logits.log_softmax(dim=-1)[real]                       # [M, V]
    return -logs.gather(1, target[real][:, None]).mean()
