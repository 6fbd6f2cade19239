"""Hugging Face's GPT-2, built from a configuration (random weights, nothing is downloaded), generating greedily."""

from __future__ import annotations

import torch
from transformers import GPT2Config, GPT2LMHeadModel

VOCABULARY = 200
END = VOCABULARY - 1


def run(device: str, steps: int = 5) -> list[float]:
    """Generates `steps` tokens after a prompt of 8; the list is the score of the token chosen at each step."""
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=END
    )
    model, prompt = GPT2LMHeadModel(config), torch.randint(1, END, (2, 8))
    model, prompt = model.to(device).eval(), prompt.to(device)
    generated = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=steps,
        min_new_tokens=steps,
        do_sample=False,
        pad_token_id=END,
        output_scores=True,
        return_dict_in_generate=True,
    )
    return [score[0].max().item() for score in generated.scores]
