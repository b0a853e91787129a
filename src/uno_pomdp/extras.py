"""Packages that are not installed, or not in a version that will do, and the sentence that says how to install them."""

import json
import re
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from uno_pomdp.errors import UnoError

HERE = Path(__file__).parent
"""Where this package lies."""
NUMBA: Final = ((0, 65), (0, 68))
"""The oldest and the newest version of Numba that the kernels were tried with: they are compiled by its insides."""


class NotInstalled(UnoError):
    """Work that needs a package which is not installed, or not in a version that will do."""


def require_numba(version: str) -> None:
    """Refuse a version of Numba that the kernels were not tried with."""
    oldest, newest = NUMBA
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None or not oldest <= (int(found[1]), int(found[2])) <= newest:
        low, high, beyond = (f"{major}.{minor}" for major, minor in (oldest, newest, (newest[0], newest[1] + 1)))
        raise NotInstalled(
            f"uno-pomdp works with Numba {low} to {high}, and {version} is installed: "
            f"pip install 'numba>={low},<{beyond}' changes that"
        )


def require_torch() -> None:
    """Refuse training where torch is not installed."""
    if find_spec("torch") is None:
        raise NotInstalled(missing("training needs", "torch", "train"))


def require_web() -> None:
    """Refuse to serve where what the server is made of is not installed."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise NotInstalled(missing("the board needs", package, "web"))


def missing(what: str, package: str, extra: str) -> str:
    """Return the sentence for work that needs a package which is not installed, and comes with an extra."""
    return f"{what} {package}: install it with {install_command(extra)}"


def install_command(extra: str) -> str:
    """Return the command that adds an extra to what is installed here."""
    clone = source_folder()
    if clone is None:
        return f"pip install 'uno-pomdp[{extra}]'"
    return f"pip install '{'.' if clone == Path.cwd() else clone}[{extra}]'"


def source_folder() -> Path | None:
    """Return the folder that this package was installed from, or runs in; None if it came as a wheel."""
    if HERE.parent.name == "src" and (HERE.parents[1] / "pyproject.toml").is_file():
        return HERE.parents[1]
    try:
        told = distribution("uno-pomdp").read_text("direct_url.json")  # which pip writes for what is in no index
    except PackageNotFoundError:
        return None
    origin = json.loads(told) if told else {}
    if "dir_info" not in origin:
        return None
    folder = Path(url2pathname(urlsplit(origin["url"]).path))
    return folder if (folder / "pyproject.toml").is_file() else None
