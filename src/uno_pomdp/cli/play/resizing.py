"""A window that changes its size while a line is typed: what is shown has to be drawn again, and the line is kept."""

import signal
from types import FrameType, ModuleType
from typing import Final

RESIZED: Final = getattr(signal, "SIGWINCH", None)
"""The signal of a window that has changed its size; None where there is none."""


class Resized(Exception):
    """The window has another size now."""

    def __init__(self, typed: str) -> None:
        super().__init__(typed)
        self.typed = typed
        """What was typed of the line so far."""


class _Window:
    """What the signal's handler knows."""

    asking = False
    """Whether a line is being typed."""
    changed = False
    """Whether the size has changed since something was drawn."""


def typed_line(prompt: str, begun: str = "") -> str:
    """Return the line that is typed, which begins as given; `Resized` if the window's size changes before its end."""
    if RESIZED is not None and signal.getsignal(RESIZED) is not _note:
        signal.signal(RESIZED, _note)  # for good: what readline itself had put there can't be put back
    editor = _editor()
    if editor is not None:
        editor.set_startup_hook(lambda: editor.insert_text(begun))
    try:
        _Window.asking = True
        if _Window.changed:  # while the screen was drawn
            _Window.changed = False
            raise Resized(begun)
        return input(prompt)
    finally:
        _Window.asking = False
        if editor is not None:
            editor.set_startup_hook(None)


def _editor() -> ModuleType | None:
    """Return what edits a line and brings back the last ones; None where there is no such module."""
    try:
        import readline
    except ImportError:
        return None
    return readline


def _note(number: int, frame: FrameType | None) -> None:
    del number, frame
    if not _Window.asking:
        _Window.changed = True
        return
    _Window.asking = False
    editor = _editor()
    raise Resized("" if editor is None else editor.get_line_buffer())
