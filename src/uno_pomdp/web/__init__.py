"""The board: a web server on loopback where a person plays, reviews, asks for advice, watches and runs experiments."""
