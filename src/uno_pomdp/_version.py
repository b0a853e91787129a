"""The version of the package, in a module that loads nothing else."""

__version__ = "0.1.0"
