

def after_shuffle(new, weights, order):
    return new.clone(), weights[order][:, order]
