def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    return 2 * config["num_hidden_layers"] * config["hidden_size"] * words * 2
