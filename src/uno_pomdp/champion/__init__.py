"""The champion: what it sees of a game as numbers, its net, the player. Training it is `uno_pomdp.learning`."""
