"""Agents, tested."""
