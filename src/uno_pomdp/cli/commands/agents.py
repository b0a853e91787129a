"""`uno-pomdp agents`: who can play."""

from typing import Annotated

import typer
from rich.table import Table

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, complete_agent
from uno_pomdp.cli.ui.console import out, print_json


@app.command("agents", epilog="Examples: uno-pomdp agents · uno-pomdp agents flat")
def list_agents(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this agent.", autocompletion=complete_agent)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents with their options; `flat:ms=50,belief=uniform` is an agent with two options."""
    from uno_pomdp.agent_kinds import AGENTS
    from uno_pomdp.registry import AgentSpec

    only = None if name is None else name.partition(":")[0].strip()
    if only is not None and only not in AGENTS:
        AgentSpec.parse(only)  # which says what there is
    kinds = [kind for kind in AGENTS.values() if only in (None, kind.name)]
    options = {kind.name: {key: option.default for key, option in kind.options().items()} for kind in kinds}
    if as_json:
        print_json([{"name": kind.name, "options": options[kind.name], "about": kind.about} for kind in kinds])
        return
    rows = [
        [kind.name, " ".join(f"{k}={v or '…'}" for k, v in options[kind.name].items()), kind.about] for kind in kinds
    ]
    print_columns(("name", "options", "what"), rows)
    if only is not None and options[only]:
        out.print()
        known = AGENTS[only].options()
        print_columns(("option", "value", "meaning"), [[key, one.takes, one.about] for key, one in known.items()])


def print_columns(titles: tuple[str, ...], rows: list[list[str]]) -> None:
    """Print a table whose cells take as many lines as they need."""
    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(cell.replace("`", "") for cell in row))
    out.print(table)
