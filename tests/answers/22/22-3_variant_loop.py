def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    full = {"num_key_value_heads": config["num_attention_heads"],
            "head_dim": config["hidden_size"] // config["num_attention_heads"]} | config
    count = 0
    for layer in range(config["num_hidden_layers"]):
        for part in ("key", "value"):
            count += full["num_key_value_heads"] * full["head_dim"] * words
    return count * 2
