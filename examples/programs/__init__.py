"""Real PyTorch programs, each a module with `run(device, steps) -> list[float]`.

The list is what the program computes step by step (a loss, a checksum of what it generated), so that two devices can be
compared. `python -m examples.programs` runs them all on "cpu" and on "ort" and prints both.
"""

#: The programs, by module name, in the order in which they are listed.
PROGRAMS = ("resnet", "transformer", "lstm", "convnet", "unet", "bert", "gpt2")
