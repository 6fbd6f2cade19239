"""One denoising step of a small diffusion U-Net, and the training step behind it, with AdamW."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional as F


def time_embedding(time: torch.Tensor, width: int) -> torch.Tensor:
    """Sines and cosines of `time` at geometrically spaced frequencies, of shape (len(time), width)."""
    frequency = torch.exp(torch.arange(width // 2, device=time.device) * (-math.log(1000.0) / (width // 2)))
    angle = time[:, None] * frequency
    return torch.cat([angle.sin(), angle.cos()], dim=1)


class Block(nn.Module):
    def __init__(self, channels_in: int, channels: int, time_width: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, channels_in), nn.Conv2d(channels_in, channels, 3, padding=1)
        self.time = nn.Linear(time_width, channels)
        self.norm2, self.conv2 = nn.GroupNorm(4, channels), nn.Conv2d(channels, channels, 3, padding=1)
        self.skip = nn.Conv2d(channels_in, channels, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        y = self.conv1(F.silu(self.norm1(x))) + self.time(time)[:, :, None, None]
        return self.conv2(F.silu(self.norm2(y))) + self.skip(x)


class UNet(nn.Module):
    def __init__(self, width: int = 16, time_width: int = 32) -> None:
        super().__init__()
        self.time_width = time_width
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.down = Block(width, 2 * width, time_width)
        self.middle = Block(2 * width, 2 * width, time_width)
        self.attention = nn.MultiheadAttention(2 * width, 4, batch_first=True)
        self.up = Block(3 * width, width, time_width)
        self.head = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, image: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        t = time_embedding(time, self.time_width)
        x = self.stem(image)
        y = self.middle(self.down(F.avg_pool2d(x, 2), t), t)
        tokens = y.flatten(2).transpose(1, 2)
        y = y + self.attention(tokens, tokens, tokens, need_weights=False)[0].transpose(1, 2).reshape(y.shape)
        y = F.interpolate(y, scale_factor=2, mode="nearest")
        return self.head(self.up(torch.cat([x, y], dim=1), t))


def run(device: str, steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    model, clean, noise = UNet(), torch.randn(4, 3, 16, 16), torch.randn(4, 3, 16, 16)
    model, clean, noise = model.to(device), clean.to(device), noise.to(device)
    time = torch.tensor([3.0, 50.0, 200.0, 900.0]).to(device)
    keep = (1 - time / 1000)[:, None, None, None]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(keep.sqrt() * clean + (1 - keep).sqrt() * noise, time), noise)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
