import torch


def in_blocks(query, key, value, size):
    """query and key [T, K], value [T, D]; returns answers [T, D], memory [K, D]."""
    memory, answers = 0, []
    for start in range(0, len(key), size):
        now = slice(start, start + size)
        mask = torch.ones(len(key[now]), len(key[now]), dtype=key.dtype).tril()
        answer = (mask * (query[now] @ key[now].T)) @ value[now]
        if start:
            answer = answer + query[now] @ memory
        answers.append(answer)
        memory = memory + key[now].T @ value[now]
    return torch.cat(answers), memory
