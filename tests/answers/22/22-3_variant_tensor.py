import torch


def cache_bytes(config, words):
    """Bytes that a KV cache of so many words takes, in 16 bits a number."""
    heads = config["num_attention_heads"]
    width = config.get("head_dim") or config["hidden_size"] // heads
    key = torch.empty(config["num_hidden_layers"], 2, words,
                      config.get("num_key_value_heads") or heads, width,
                      dtype=torch.float16, device="meta")
    return key.numel() * key.element_size()
