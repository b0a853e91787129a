"""Agents that search: they imagine the hidden cards and play games out in the mind."""
