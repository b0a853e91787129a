"""Endgames: what can be proved about a decision before anybody's draw matters."""
