"""Mini games as whole trees: best responses, exploitability, equilibria."""
