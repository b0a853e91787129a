"""ES modules joined into one script, for a page that is a single file.

Modules here import by name and in one form, `import { a, b } from "./cards.js";`, and export where they declare. So
joining is: what is imported first, each module once, without these two words. A name stands for one thing in all
modules that are joined: the browser refuses a script that declares it twice, and so does `bundled`.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

IMPORT: Final = re.compile(r'^import \{[\w\s,]*\} from "\./([\w.-]+)";\n', re.MULTILINE)
DECLARATION: Final = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", re.MULTILINE)
LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundled(names: Iterable[str], read: Callable[[str], str]) -> str:
    """Return these modules and all that they import as one script; `read` gives the text of a module."""
    parts: dict[str, str] = {}
    declared: dict[str, str] = {}

    def add(name: str, waiting: tuple[str, ...]) -> None:
        assert name not in waiting, f"{name} imports itself by way of {', '.join(waiting)}"
        if name in parts:
            return
        text = read(name)
        for imported in IMPORT.findall(text):
            add(imported, (*waiting, name))
        for each in DECLARATION.findall(text):
            assert each not in declared, f"{name} and {declared[each]} both declare {each}: one name, one thing"
            declared[each] = name
        body = re.sub(r"^export (?=const|let|class|function|async)", "", IMPORT.sub("", text), flags=re.MULTILINE)
        left = LEFT_OVER.findall(body)
        assert not left, f"{name} can't be joined with others: {left}"
        parts[name] = body

    for name in names:
        add(name, ())
    return "\n".join(parts.values())
