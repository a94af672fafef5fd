def errors(found, right, others):
    return right >= found, any(found >= right for other in others) or found > right
