"""Files that are written whole or not at all: whoever reads sees the old one or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: str | os.PathLike[str], durable: bool = True) -> Iterator[BinaryIO]:
    """Give a file to write to, which takes the place of `path` at the end; after an error nothing has changed.

    What is `durable` is on the disk before it does; without it a loss of power may leave a damaged file.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text, whole or not at all."""
    content = text.encode("utf-8")
    with written_whole(path) as file:
        file.write(content)
