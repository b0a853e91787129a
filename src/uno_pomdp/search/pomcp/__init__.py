"""POMCP: Monte Carlo planning in the decision process of one seat."""
