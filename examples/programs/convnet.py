"""An image classifier of depthwise-separable convolutions, in channels_last memory, trained with SGD and momentum."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


def separable(channels_in: int, channels: int, stride: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(channels_in, channels_in, 3, stride, padding=1, groups=channels_in, bias=False),
        nn.BatchNorm2d(channels_in),
        nn.Hardswish(),
        nn.Conv2d(channels_in, channels, 1, bias=False),
        nn.BatchNorm2d(channels),
        nn.Hardswish(),
    )


def model() -> nn.Module:
    stem = [nn.Conv2d(3, 16, 3, 2, padding=1, bias=False), nn.BatchNorm2d(16), nn.Hardswish()]
    body = [separable(16, 32, 2), separable(32, 64, 2), separable(64, 64, 1)]
    return nn.Sequential(*stem, *body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


def run(device: str, steps: int = 5) -> list[float]:
    torch.manual_seed(0)
    net = model().to(device, memory_format=torch.channels_last)
    images = torch.randn(8, 3, 64, 64).to(device, memory_format=torch.channels_last)
    labels = torch.randint(10, (8,)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
