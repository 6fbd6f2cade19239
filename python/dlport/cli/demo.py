"""`dlport demo`: the digits example, run as a user would run it."""

from __future__ import annotations

from importlib import import_module

import click


@click.command()
@click.option("--epochs", default=30, show_default=True, help="Passes over the training images.")
@click.option("--seed", default=0, show_default=True, help="Seed of the weights and of the batches' order.")
def command(epochs: int, seed: int) -> None:
    """Train a digit classifier on torch.device("ort") and share it with NumPy and JAX."""
    try:
        digits = import_module("dlport.examples.digits")  # which the build puts there
    except ImportError as error:
        raise click.ClickException(f"the demo needs {error.name}: pip install 'dlport[demo]'") from None
    digits.main(epochs=epochs, seed=seed)
