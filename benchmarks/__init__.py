"""Benchmarks: what the project claims about itself, measured; one script for each subject, with peers to compare."""
