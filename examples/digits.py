"""Train a digit classifier on torch.device("ort"), then hand its weights to NumPy and JAX without a copy.

    dlport demo          # or: python examples/digits.py

The images are scikit-learn's 1,797 real handwritten digits. The same training runs on "cpu" beside it, from the same
seed, so that losses and times can be compared.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import dlport.torch  # registers torch.device("ort")

BATCH = 64
console = Console()


def train(images: torch.Tensor, labels: torch.Tensor, epochs: int, seed: int) -> tuple[torch.nn.Module, list[float]]:
    """Trains a two-layer perceptron on the device where `images` and `labels` are; returns it and its loss by epoch."""
    torch.manual_seed(seed)
    model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(images.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    loss_of = torch.nn.CrossEntropyLoss()
    order = torch.Generator().manual_seed(seed)

    losses = []
    for _ in track(range(epochs), description=f"training on {images.device.type:3}", console=console):
        total = torch.zeros((), device=images.device)
        for batch in torch.randperm(len(images), generator=order).split(BATCH):
            loss = loss_of(model(images[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.detach() * len(batch)
        losses.append(total.item() / len(images))
    return model, losses


def main(epochs: int = 30, seed: int = 0) -> None:
    digits = load_digits()
    pixels = (digits.data / 16).astype(np.float32)
    arrays = train_test_split(pixels, digits.target.astype(np.int64), test_size=0.2, random_state=seed)

    # 1. NumPy's memory, seen as ort tensors: nothing is copied.
    x_train, x_test, y_train, y_test = (dlport.torch.share(torch.from_numpy(a), "ort") for a in arrays)
    console.print(f"{len(pixels)} images of 8 x 8 pixels, {len(x_train)} to train on")
    console.print(f"NumPy's pointer {arrays[0].ctypes.data:#x}, the ort tensor's {x_train.data_ptr():#x}: one memory")

    # 2. The same training on cpu and on ort.
    start = time.perf_counter()
    _, cpu_losses = train(torch.from_numpy(arrays[0]), torch.from_numpy(arrays[2]), epochs, seed)
    cpu_seconds = time.perf_counter() - start
    dlport.torch.reset_stats()
    start = time.perf_counter()
    model, losses = train(x_train, y_train, epochs, seed)
    seconds = time.perf_counter() - start
    stats = dlport.torch.stats()

    table = Table("epoch", "loss on cpu", "loss on ort", title="The same seed gives the same losses")
    for epoch in sorted({0, 1, 2, epochs // 2, epochs - 1} & set(range(epochs))):
        table.add_row(str(epoch + 1), f"{cpu_losses[epoch]:.6f}", f"{losses[epoch]:.6f}")
    console.print(table)

    with torch.no_grad():
        accuracy = (model(x_test).argmax(1) == y_test).float().mean().item()
    console.print(f"largest difference in loss {max(abs(a - b) for a, b in zip(losses, cpu_losses, strict=True)):.1e}")
    console.print(f"test accuracy {accuracy:.1%}")
    console.print(f"operator calls: {stats['lowered']} on ONNX Runtime, {stats['native']} on PyTorch's native kernels")
    console.print(f"time: {seconds:.2f} s on ort, {cpu_seconds:.2f} s on cpu")

    # 3. The trained weights in other frameworks, still without a copy.
    weight = model[0].weight.detach()
    seen = np.from_dlpack(weight)
    same = np.shares_memory(seen, np.from_dlpack(dlport.torch.share(weight, "cpu")))
    console.print(f"NumPy sees the weights at {seen.ctypes.data:#x}, PyTorch at {weight.data_ptr():#x}, shared: {same}")
    try:
        import jax
    except ImportError:
        console.print("JAX is not installed")
    else:
        array = jax.dlpack.from_dlpack(weight)
        agree = np.array_equal(np.asarray(array), seen)
        console.print(f"JAX sees them at {array.unsafe_buffer_pointer():#x}, values agree: {agree}")


if __name__ == "__main__":
    main()
