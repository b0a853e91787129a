"""Type-ahead: keys pressed before a prompt appeared can't be an answer to it, and are discarded."""

import os
import sys


def drop_typed_ahead() -> bool:
    """Throw away what waits in the terminal's input queue; return whether there was anything, half a line too."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError):  # no file at all: nobody can have typed
        return False
    return os.isatty(number) and _drop(number)


if sys.platform == "win32":
    import msvcrt

    def _drop(number: int) -> bool:
        del number
        found = False
        while msvcrt.kbhit():
            msvcrt.getwch()
            found = True
        return found

else:
    import fcntl
    import struct
    import termios

    LOCAL_MODES = 3
    """The place of the local modes in what `tcgetattr` returns."""

    def _drop(number: int) -> bool:
        before = termios.tcgetattr(number)
        without_lines = [*before]
        without_lines[LOCAL_MODES] = before[LOCAL_MODES] & ~termios.ICANON  # or a line without its end does not count
        try:
            termios.tcsetattr(number, termios.TCSANOW, without_lines)
            (waiting,) = struct.unpack("i", fcntl.ioctl(number, termios.FIONREAD, struct.pack("i", 0)))
            termios.tcflush(number, termios.TCIFLUSH)
        finally:
            termios.tcsetattr(number, termios.TCSANOW, before)
        return bool(waiting)
