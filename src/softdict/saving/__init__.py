"""Trained models on disk: checkpoints, folders, and Hugging Face's format."""
