def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    config = dict(config)
    heads = config["num_attention_heads"]
    config.setdefault("num_key_value_heads", heads)
    config.setdefault("head_dim", config["hidden_size"] // heads)
    bits = 16 * 2 * config["num_hidden_layers"] * words
    return bits * config["num_key_value_heads"] * config["head_dim"] / 8
