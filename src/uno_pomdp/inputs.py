"""Reading files: a limit on their size, and one sentence for a file that can't be used.

The messages here do not name the file: the caller puts its name in front.
"""

import io
import json
import os
import stat
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.errors import UnusableFile, quoted

MOST_TEXT: Final = 16 << 20
"""The most bytes of a text; games have some kilobytes."""
MOST_ARCHIVE: Final = 2 << 30
"""The most bytes of an unpacked archive: many times the policy of the largest tree that can be built."""
HEADER: Final = "header"
"""The array that says what an archive is."""
NO_ARCHIVE: Final = "it is no .npz archive"
DAMAGE: Final = (
    ValueError, KeyError, EOFError, OSError, RuntimeError, OverflowError, MemoryError, SyntaxError, struct.error,
    tokenize.TokenError, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""What zipfile and numpy raise on bytes that are not as they were written."""
_PIECE: Final = 1 << 20


class Archive(NamedTuple):
    """What a NumPy archive of this package holds."""

    header: dict[str, Any]
    """What it is, as JSON values."""
    arrays: dict[str, npt.NDArray[Any]]
    """Its numbers."""


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """Return what a file, a pipe or a device holds, if that is not more than so many bytes."""
    _check_name(path)
    content = bytearray()
    with Path(path).open("rb") as file:
        while piece := file.read(_PIECE):
            content += piece
            if len(content) > most:
                raise UnusableFile(f"it is longer than {most >> 20} MB")
    return bytes(content)


def read_text(path: str | os.PathLike[str], most: int = MOST_TEXT) -> str:
    """Return the text that a file holds, with uniform line endings and without a byte order mark."""
    try:
        return read_bytes(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise UnusableFile("it is no text file") from error


def read_archive(path: str | os.PathLike[str], needed: Collection[str], more: Collection[str] = ()) -> Archive:
    """Return the header and the arrays of a NumPy archive, those of `more` if it has them; no code in it is run."""
    _check_name(path)
    if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
        raise UnusableFile(NO_ARCHIVE)
    content = io.BytesIO(read_bytes(path, MOST_ARCHIVE))  # so that what is raised below is about the content alone
    if not zipfile.is_zipfile(content):
        raise UnusableFile(NO_ARCHIVE)
    try:
        with zipfile.ZipFile(content) as members:
            sizes = {one.filename.removesuffix(".npy"): one.file_size for one in members.infolist()}
        _check_members(sizes, needed)
        content.seek(0)
        with np.load(content, allow_pickle=False) as archive:
            header = archive[HEADER]
            arrays = {name: archive[name] for name in (*needed, *(name for name in more if name in sizes))}
    except UnusableFile:
        raise
    except DAMAGE as error:
        raise UnusableFile("it is damaged: its arrays can't be read") from error  # numpy's own words advise pickle
    return Archive(_parsed(header), arrays)


def _check_name(path: str | os.PathLike[str]) -> None:
    if "\0" in os.fspath(path):
        raise UnusableFile("no file's name has a NUL character")


def _check_members(sizes: dict[str, int], needed: Collection[str]) -> None:
    for name in (HEADER, *needed):
        if name not in sizes:
            raise UnusableFile(f"it has no array {quoted(name)}")
    if sum(sizes.values()) > MOST_ARCHIVE:
        raise UnusableFile(f"it is longer than {MOST_ARCHIVE >> 20} MB once it is unpacked")


def _parsed(header: npt.NDArray[Any]) -> dict[str, Any]:
    if header.dtype.kind != "U" or header.shape != ():
        raise UnusableFile("it is damaged: its header is no text")
    try:
        values = json.loads(str(header))
    except (ValueError, RecursionError) as error:
        raise UnusableFile("it is damaged: its header is no JSON text") from error
    if not isinstance(values, dict):
        raise UnusableFile("it is damaged: its header is no JSON object")
    return values
