"""The `dlport` command. Each command is a module of this package, imported only when it is asked for."""

from __future__ import annotations

from importlib import import_module

import click

#: Command name -> what it does, in the order in which `dlport --help` lists them.
COMMANDS = {
    "demo": "Train a digit classifier on torch.device('ort') and share it with NumPy.",
    "devices": "List the devices that there are and the drivers behind them.",
    "interop": "Measure which framework hands tensors to which, and how.",
    "inspect": "Show the inputs and outputs of an ONNX model.",
    "run": "Run an ONNX model on .npy files.",
    "check": "Check a device driver, or a framework's DLPack support, against the standard.",
}


class _LazyGroup(click.Group):
    """A group whose commands live in modules of the same name; `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dlport.cli.{name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dlport")
def main() -> None:
    """Tensors that cross frameworks without a copy, and the ONNX Runtime device for PyTorch."""


if __name__ == "__main__":
    main()
