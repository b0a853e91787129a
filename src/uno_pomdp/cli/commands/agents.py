"""`uno-pomdp agents`: who can play."""

from rich.table import Table

from uno_pomdp.agent_kinds import AGENTS
from uno_pomdp.cli.ui.console import out, print_json


def agents(as_json: bool) -> None:
    """List the agents."""
    if as_json:
        print_json([{"name": name, "options": entry.defaults, "about": entry.about} for name, entry in AGENTS.items()])
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "options", "what"):
        table.add_column(title, overflow="fold")
    for name, entry in AGENTS.items():
        table.add_row(name, " ".join(f"{key}={value or '…'}" for key, value in entry.defaults.items()), entry.about)
    out.print(table)
