def delta_write(memory, key, value, strength):
    new = memory.clone()
    row = key.argmax()
    new[row] = new[row] + strength * (value - new[row])
    return new
