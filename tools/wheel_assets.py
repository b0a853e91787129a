"""The check of a wheel before it is built: what its pages are made of has to be there. `pyproject.toml` names it."""

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WANTED: Final = tuple(f"src/uno_pomdp/pages/{part}" for part in ("static/*.js", "static/*.css", "templates/*.html"))
"""At least one file of each."""


class Assets(BuildHookInterface[Any]):
    """Refuses to build without templates, styles and scripts."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling hands both)
        """Check before anything is built."""
        self.check(Path(self.root))

    @staticmethod
    def check(root: Path) -> None:
        """Refuse a tree in which something is missing."""
        if lost := missing(root):
            raise FileNotFoundError(f"no wheel without the assets of its pages: there is no {', no '.join(lost)}")


def missing(root: Path) -> list[str]:
    """Return what is wanted and has no file below this folder."""
    return [pattern for pattern in WANTED if not any(root.glob(pattern))]
