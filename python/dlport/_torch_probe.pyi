"""What of a PyTorch tensor only PyTorch's own headers tell."""

built_for: str

def probe() -> object:
    """A capsule of bool(PyObject*): is the tensor pending conjugation or negation?"""
