"""Kernels that only benchmarks need."""
