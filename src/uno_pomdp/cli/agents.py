"""`uno-pomdp agents`: who can play."""

import inspect

from rich.table import Table

from uno_pomdp.cli.arena import print_json
from uno_pomdp.cli.console import out
from uno_pomdp.registry import AGENTS, Entry


def agents(as_json: bool) -> None:
    """List the agents."""
    if as_json:
        print_json([{"name": name, "options": options(entry), "about": entry.about} for name, entry in AGENTS.items()])
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "options", "what"):
        table.add_column(title, overflow="fold")
    for name, entry in AGENTS.items():
        table.add_row(name, " ".join(f"{key}={value or '…'}" for key, value in options(entry).items()), entry.about)
    out.print(table)


def options(entry: Entry) -> dict[str, str]:
    """Return the options of an agent with what they are if not given."""
    return {name: parameter.default for name, parameter in inspect.signature(entry.make).parameters.items()}
