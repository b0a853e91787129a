"""How a search tries actions in sampled worlds: playouts, a tree, a linear value, a value net."""
