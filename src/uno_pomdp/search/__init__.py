"""Agents that search: they sample worlds from a belief and try every action in them."""
