"""Hugging Face's GPT-2, built from a configuration (random weights, nothing is downloaded), generating greedily."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel


def run(device: str, steps: int = 5) -> list[float]:
    """Generates `steps` tokens after a prompt of 8, twice; the list is the token ids of the first sequence."""
    torch.manual_seed(0)
    config = GPT2Config(vocab_size=200, n_positions=64, n_embd=64, n_layer=2, n_head=4, initializer_range=0.3)
    model, prompt = GPT2LMHeadModel(config), torch.randint(1, 199, (2, 8))
    model, prompt = model.to(device).eval(), prompt.to(device)
    tokens = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=steps,
        min_new_tokens=steps,
        do_sample=False,
        pad_token_id=199,
    )
    return [float(token) for token in tokens[0, 8:].tolist()]
