"""Equilibria: exact ones on the whole trees of mini decks, and bounds on exploitability by play on any deck."""
