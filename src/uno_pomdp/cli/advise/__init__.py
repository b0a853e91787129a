"""`uno-pomdp advise`: belief and best move for a game on a real table, from what one player sees of it."""
