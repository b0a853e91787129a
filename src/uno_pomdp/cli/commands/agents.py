"""`uno-pomdp agents`: who can play."""

from typing import Annotated, Any

import typer
from rich.table import Table

from uno_pomdp.agent_kinds import AGENTS, AgentOptions
from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, complete_agent
from uno_pomdp.cli.ui.console import out, print_json
from uno_pomdp.registry import AgentSpec


@app.command("agents", epilog="Examples: uno-pomdp agents · uno-pomdp agents flat")
def list_agents(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Only this agent.", autocompletion=complete_agent)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the agents with their options; `flat:ms=50,belief=uniform` is an agent with two options."""
    kinds = AGENTS if name is None else _one(name.partition(":")[0].strip())
    told: list[dict[str, Any]] = [
        {
            "name": kind.name,
            "options": {key: option.default for key, option in kind.options().items()},
            "about": kind.about,
        }
        for kind in kinds.values()
    ]
    if as_json:
        print_json(told)
        return
    table = Table(box=None, pad_edge=False)
    for title in ("name", "options", "what"):
        table.add_column(title, overflow="fold")
    for one in told:
        options = " ".join(f"{key}={value or '…'}" for key, value in one["options"].items())
        table.add_row(one["name"], options, one["about"])
    out.print(table)
    if name is not None:
        for kind in kinds.values():
            _print_options(kind)


def _print_options(kind: type[AgentOptions]) -> None:
    """Print what may be written for each option of a kind, and what it means."""
    table = Table(box=None, pad_edge=False)
    for title in ("option", "value", "meaning"):
        table.add_column(title, overflow="fold")
    for key, option in kind.options().items():
        table.add_row(key, option.takes.replace("`", ""), option.about.replace("`", ""))
    if table.row_count:
        out.print()
        out.print(table)


def _one(name: str) -> dict[str, type[AgentOptions]]:
    if name not in AGENTS:
        AgentSpec.parse(name)  # which says what there is
    return {name: AGENTS[name]}
