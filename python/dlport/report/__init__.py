"""Measured reports: who hands tensors to whom, and what it takes."""
