"""`python -m uno_pomdp` is the command `uno-pomdp`."""

from uno_pomdp.cli.main import run

if __name__ == "__main__":
    run()
