"""A game on a real table, from what one player sees of it: how it began, what was done, what to believe and to do."""
