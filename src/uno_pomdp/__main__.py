"""The command `uno-pomdp`, also as `python -m uno_pomdp`. It is loaded before all else, and loads nothing itself."""

import gc
import os
import signal
from types import FrameType
from typing import NoReturn


def run() -> None:
    """Load the command and run it: Ctrl-C ends it with one line while it is loaded, and is ignored once it is over."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else it is ignored, and stays so
    if heard:
        signal.signal(signal.SIGINT, _leave)
    gc.disable()  # what is loaded stays: looking for garbage in it would take a tenth of the time
    from uno_pomdp.cli.main import run as run_command

    gc.freeze()
    gc.enable()
    try:
        if heard:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run_command()
    except KeyboardInterrupt:  # just before or after the part that says how far it came
        _leave()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # libraries tidy up at the end, and would tell of an interruption


def _leave(number: int = signal.SIGINT, frame: FrameType | None = None) -> NoReturn:
    """End the process at once: nothing has begun, and an exception could come up anywhere in what is being imported."""
    del frame
    os.write(2, b"uno-pomdp: stopped\n")
    os._exit(128 + number)


if __name__ == "__main__":
    run()
