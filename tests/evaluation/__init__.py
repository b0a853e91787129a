"""Who wins, both hands open."""
