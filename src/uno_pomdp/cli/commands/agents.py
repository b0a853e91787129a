"""`uno-pomdp agents`: who can play."""

from rich.table import Table

from uno_pomdp.agent_kinds import AGENTS, AgentKind
from uno_pomdp.cli.ui.console import out, print_json
from uno_pomdp.registry import AgentSpec


def agents(name: str | None, as_json: bool) -> None:
    """List the agents, or the one of this name, with or without options."""
    kinds = AGENTS if name is None else _one(name.partition(":")[0].strip())
    if as_json:
        print_json([{"name": name, "options": entry.defaults, "about": entry.about} for name, entry in kinds.items()])
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "options", "what"):
        table.add_column(title, overflow="fold")
    for known, entry in kinds.items():
        table.add_row(known, " ".join(f"{key}={value or '…'}" for key, value in entry.defaults.items()), entry.about)
    out.print(table)


def _one(name: str) -> dict[str, AgentKind]:
    if name not in AGENTS:
        AgentSpec.parse(name)  # which says what there is
    return {name: AGENTS[name]}
