"""Hugging Face's BERT, built from a configuration (random weights, nothing is downloaded), trained with AdamW."""

from __future__ import annotations

import torch
from transformers import BertConfig, BertForMaskedLM


def run(device: str, steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=200,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model, tokens = BertForMaskedLM(config), torch.randint(200, (4, 32))
    mask = torch.ones_like(tokens)
    mask[0, 20:] = 0
    model, tokens, mask = model.to(device).train(), tokens.to(device), mask.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(input_ids=tokens, attention_mask=mask, labels=tokens).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
