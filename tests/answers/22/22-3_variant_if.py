def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    heads = config["num_attention_heads"]
    width = config["hidden_size"] / heads
    if "head_dim" in config:
        width = config["head_dim"]
    if "num_key_value_heads" in config:
        heads = config["num_key_value_heads"]
    keys = config["num_hidden_layers"] * heads * width * words
    return 4 * keys
