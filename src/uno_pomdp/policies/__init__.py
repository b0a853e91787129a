"""Scripted policies as kernels: they choose in games, play simulations out and model an opponent."""
