"""How tuned numbers in the package were found."""
