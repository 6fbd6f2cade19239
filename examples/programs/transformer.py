"""A small Transformer encoder that learns to repeat its input backwards, trained with Adam."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

TOKENS, LENGTH, WIDTH = 32, 16, 64


class Reverser(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(TOKENS, WIDTH)
        self.position = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.1)
        layer = nn.TransformerEncoderLayer(WIDTH, nhead=4, dim_feedforward=128, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.encoder(self.embed(tokens) + self.position))


def run(device: str, steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    model, tokens = Reverser(), torch.randint(TOKENS, (8, LENGTH))
    model, tokens = model.to(device), tokens.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flip(1).flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
