"""Write docs/api.md: every public name with its first sentence and its example."""

import inspect
import sys
from pathlib import Path
from typing import Final

import uno_pomdp as uno

PAGE: Final = Path(__file__).parents[1] / "docs" / "api.md"
ROOMS: Final = {
    "Games": ("game.", "cards", "rules", "errors"),
    "Beliefs": ("beliefs.", "policies."),
    "Agents": ("agents.", "nets.", "registry", "testing."),
    "Questions in one call": ("api", "arena.", "review."),
    "Decision process and equilibrium": ("pomdp.", "equilibrium."),
}
"""The parts of the page, by where names live."""
HEAD: Final = """# The front door

`import uno_pomdp as uno`: all names that README, tutorial and pages use. `python tools/api_page.py` writes this page
from the docstrings, and the tests run every example.
"""


def entry(name: str) -> str:
    """Return a name with its first sentence and its example."""
    text = inspect.getdoc(getattr(uno, name)) or ""
    about = text.split("\n\n")[0].replace("\n", " ").partition(">>>")[0].strip()
    example = "\n".join(text.splitlines()[text[: text.index(">>>")].count("\n") :])
    return f"### `{name}`\n\n{about}\n\n```pycon\n{example}\n```\n"


def page() -> str:
    """Return the whole page."""
    parts = [HEAD]
    for title, homes in ROOMS.items():
        names = [name for home, names in uno._HOMES.items() if home.startswith(homes) for name in names]
        parts.append(f"## {title}\n")
        parts += [entry(name) for name in sorted(names, key=str.lower)]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
