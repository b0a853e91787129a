"""What the project claims about itself, measured: a script a subject, the peer beside us."""
