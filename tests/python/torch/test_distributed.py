"""`torch.distributed` on ort tensors: gloo's collectives, on the physical memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
import sys
import torch
import torch.distributed as dist
import dlport.torch

def losses(rank, world, steps=4):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).to("ort")
    inputs, targets = torch.randn(8, 4), torch.randn(8, 1)
    if world > 1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    inputs, targets = (t.chunk(world)[rank].to("ort") for t in (inputs, targets))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    result = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        if world > 1:
            dist.all_reduce(mean)
        result.append(mean.item() / world)
    return result

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
parallel = losses(rank, world)
gathered = [torch.empty(2, device="ort") for _ in range(world)]
dist.all_gather(gathered, torch.full((2,), float(rank), device="ort"))
assert [t[0].item() for t in gathered] == list(range(world)), gathered
shared = torch.full((3,), float(rank), device="ort")
dist.broadcast(shared, 1)
assert shared.tolist() == [1, 1, 1]
dist.destroy_process_group()
torch.testing.assert_close(parallel, losses(0, 1), rtol=1e-5, atol=1e-6)
print("equal")
"""


def test_two_processes_lose_what_one_loses_on_the_doubled_batch(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    if "No module named" in done.stderr:
        pytest.fail(done.stderr)
    assert done.stdout.count("equal") == 2, done.stderr[-3000:]
