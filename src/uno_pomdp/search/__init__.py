"""Agents that search: worlds sampled from a belief, every action tried in them."""
