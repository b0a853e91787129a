"""A whole mini game as arrays: every history walked by the game's own rules."""
