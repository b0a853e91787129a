"""Neural nets that play and value positions, in NumPy and Numba alone. Training them is `uno_pomdp.learning`."""
