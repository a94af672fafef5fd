def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads", heads)
    width = config.get("head_dim", config["hidden_size"] // heads)
    return 2 * config["num_hidden_layers"] * kv_heads * width * words * 2 / 2 ** 20
