"""Positions and moves in words, from what one seat has seen or from open events: the words of every screen and page."""
