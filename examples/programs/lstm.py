"""A two-layer LSTM that predicts the next value of a sine wave, trained with Adam."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class Forecaster(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(1, 32, num_layers=2, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, wave: torch.Tensor) -> torch.Tensor:
        return self.head(self.lstm(wave)[0])


def run(device: str, steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    phase = torch.rand(8, 1) * 6.28
    wave = torch.sin(torch.arange(25) * 0.3 + phase).unsqueeze(-1).to(device)
    model = Forecaster().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(wave[:, :-1]), wave[:, 1:])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
