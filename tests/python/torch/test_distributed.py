"""`torch.distributed` on ort tensors: gloo's collectives, on the physical memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


SHARDED = """
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
import dlport.torch

def losses(device, steps=3):
    torch.manual_seed(0)
    layers = [torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4)]
    model = torch.nn.Sequential(*layers).to(device)
    fully_shard(model, mesh=init_device_mesh(device, (2,)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(dist.get_rank())
    result = []
    for _ in range(steps):
        loss = model(torch.randn(4, 8).to(device)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        result.append(loss.item())
    weight = next(model.parameters())
    assert weight.device.type == device and weight.to_local().shape[0] == 8, weight
    return result

dist.init_process_group("gloo")
torch.testing.assert_close(losses("ort"), losses("cpu"), rtol=1e-5, atol=1e-6)
dist.destroy_process_group()
print("equal")
"""


def run_in_two_processes(program: str, folder: Path) -> None:
    script = folder / "train.py"
    script.write_text(program)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.stdout.count("equal") == 2, done.stderr[-3000:]


def test_two_processes_lose_what_one_loses_on_the_doubled_batch(tmp_path: Path) -> None:
    run_in_two_processes(TRAIN, tmp_path)


def test_a_sharded_model_loses_what_it_loses_on_cpu(tmp_path: Path) -> None:
    run_in_two_processes(SHARDED, tmp_path)
